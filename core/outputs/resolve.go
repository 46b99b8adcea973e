package outputs

import "strings"

// Surroundings is what the engine's defaults are made of.
type Surroundings struct {
	// Getenv looks a variable of the engine's environment up; "" is unset.
	Getenv func(name string) string
	// PublishRepo is [publish].pr_repo, or what the command line says in its place.
	PublishRepo string
	// DispatchRepos are the repositories of the [build] tables.
	DispatchRepos []string
}

// OperatorChannel is the chat destination of a pack that names none.
const OperatorChannel = "operator-channel"

// Resolve gives exactly one bound for every kind, in the order of Kinds: the
// declared one, else the engine's default, which has a count and no open target.
// It depends on the manifest's text and on the surroundings alone.
func Resolve(d Declaration, s Surroundings) []Bound {
	var out []Bound
	for _, k := range Kinds() {
		b, declared := d[k]
		if !declared {
			b = Bound{Kind: k, Count: k.defaultCount(), Target: Target{Fixed: s.target(k)}, Source: FromEngine}
		}
		out = append(out, b)
	}
	return out
}

// target is the default target of a kind; "" for none. A default is one place: a
// value with a wildcard in it, or one that is no target of the kind, such as a
// whole registry, is none.
func (s Surroundings) target(k Kind) string {
	var found string
	switch k {
	case DraftPR:
		if found = s.PublishRepo; found == "" {
			found = s.env("AUTORESEARCH_PR_REPO")
		}
	case TrackerComment:
		found = s.env("CRUCIBLE_ITEM")
	case ChatMessage:
		found = OperatorChannel
	case ImagePush:
		found = strings.TrimSuffix(s.env("FORGE_REGISTRY"), "/")
	case Deploy:
		found = s.deployment()
	case WorkflowDispatch:
		found = only(s.DispatchRepos)
	}
	if wild(found) || CheckTarget(k, found) != nil {
		return ""
	}
	return found
}

func (s Surroundings) env(name string) string {
	if s.Getenv == nil {
		return ""
	}
	return strings.TrimSpace(s.Getenv(name))
}

func (s Surroundings) deployment() string {
	namespace, name := s.env("FORGE_DEPLOY_NAMESPACE"), s.env("FORGE_DEPLOY_NAME")
	if namespace == "" || name == "" {
		return name
	}
	return namespace + "/" + name
}

// only is the single value of a list that may repeat it.
func only(list []string) string {
	found := ""
	for _, s := range list {
		switch {
		case s == "" || equal(WorkflowDispatch, s, found):
		case found != "":
			return ""
		default:
			found = s
		}
	}
	return found
}
