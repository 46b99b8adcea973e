package main

// extras are the features beside the report.
var extras = []extra{
	{"-http", serve},
	{"-manual", manual},
}
