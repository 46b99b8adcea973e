package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rightsPack has an agent that takes rights away, another one each turn, and
// then does something useful; the last turn leaves the workspace closed.
const rightsPack = `
[workspace]
inject = ["measure.sh"]
setup_cmd = "mkdir -p workspace/dir && echo 10 > workspace/value && echo x > workspace/dir/file"

[repo]
path = "."

[agent]
backend = "command"
goal = "g"
agent_cmd = "sh ../propose.sh"

[judge]
measure_cmd = "sh measure.sh"
direction = "lower"
`

const rightsAgent = `
n=$(cat ../turn 2>/dev/null || echo 0)
n=$((n + 1))
echo $n > ../turn
echo $((10 - n)) > value
case $n in
1) chmod -R a-w .git ;;
2) chmod 000 .git ;;
3) chmod 000 dir/file dir ;;
4) chmod 555 . dir ;;
5) chmod 400 . ;;
6) chmod 000 . ;;
esac
`

// TestTakenRights: an agent that takes the rights away from its workspace loses
// its candidate at most. Only another user than root is held up by rights.
func TestTakenRights(t *testing.T) {
	e := newEngine(t)
	e.open(t)
	e.write(t, "crucible.toml", rightsPack)
	e.write(t, "propose.sh", rightsAgent)
	e.write(t, "measure.sh", `echo "{\"valid\": true, \"score\": $(cat value)}"`)
	owned := []string{e.dir, e.run, e.home}
	for _, name := range []string{"crucible.toml", "propose.sh", "measure.sh"} {
		owned = append(owned, filepath.Join(e.dir, name))
	}
	for _, iterations := range []string{"6", "1"} { // the second run finds what the first one left
		cmd := e.command("--iterations", iterations, "--ui", "headless")
		asNobody(t, cmd, owned...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if want := "all iterations are done"; !strings.Contains(string(out), want) {
			t.Errorf("want %q in\n%s", want, out)
		}
	}
	if info, err := os.Stat(filepath.Join(e.dir, "workspace")); err != nil || info.Mode().Perm()&0o700 != 0o700 {
		t.Errorf("the workspace is left closed: %v %v", info.Mode(), err)
	}
}
