// Package judge runs the measure command and reads what it says about a
// candidate (C-COMMANDS). It never decides: a reading goes to decide. It runs
// where the engine runs, and nothing of it crosses to a plugin or an agent.
package judge
