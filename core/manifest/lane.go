package manifest

// lanes holds the sections against the lane that the manifest is in: with a
// judge it is the scored loop, without one a task, or a playbook (C-MANIFEST).
func (p *pack) lanes(top value) {
	w := p.m.Workflow
	if top.has("judge") {
		if w.Type == Playbook {
			top.at("workflow").at("type").fault("remove [judge], or choose another type", "a playbook runs once and scores nothing, so there is nothing to judge")
		}
		return
	}
	const hint = "write [judge], or leave the table out"
	if top.has("search") {
		top.at("search").fault(hint, "without a judge there is nothing to search by")
	}
	if top.has("workflow") && w.Type != Playbook {
		top.at("workflow").fault(`write [judge], or type = "playbook"`, "without a judge a workflow can only be a playbook")
	}
}
