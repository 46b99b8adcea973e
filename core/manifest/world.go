package manifest

// world reads [world].
func (p *pack) world(t value) {
	w := &p.m.World
	t.read(
		text("apply_cmd", &w.ApplyCmd),
		timeout("apply_timeout", &w.ApplyTimeout),
		text("snapshot_cmd", &w.SnapshotCmd),
		timeout("snapshot_timeout", &w.SnapshotTimeout),
		text("restore_cmd", &w.RestoreCmd),
		timeout("restore_timeout", &w.RestoreTimeout),
	)
	if w.SnapshotCmd != "" && blank(t, "restore_cmd") {
		t.at("snapshot_cmd").fault("write restore_cmd, or leave both out", "snapshot_cmd is given without restore_cmd")
	}
	if w.RestoreCmd != "" && blank(t, "snapshot_cmd") {
		t.at("restore_cmd").fault("write snapshot_cmd, or leave both out", "restore_cmd is given without snapshot_cmd")
	}
	for _, name := range []string{"apply", "snapshot", "restore"} {
		if t.has(name+"_timeout") && blank(t, name+"_cmd") {
			t.at(name+"_timeout").fault("", "there is no %s_cmd that it could bound", name)
		}
	}
}
