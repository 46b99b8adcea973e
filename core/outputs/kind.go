package outputs

// Kind is a kind of write. The tokens are part of the contract: a retired one
// never comes back with another meaning.
type Kind string

// The vocabulary.
const (
	DraftPR          Kind = "draft-pr"
	TrackerComment   Kind = "tracker-comment"
	ChatMessage      Kind = "chat-message"
	ImagePush        Kind = "image-push"
	Deploy           Kind = "deploy"
	WorkflowDispatch Kind = "workflow-dispatch"
	GPUCapture       Kind = "gpu-capture"
)

// Kinds is the vocabulary in the order in which it is printed.
func Kinds() []Kind {
	return []Kind{DraftPR, TrackerComment, ChatMessage, ImagePush, Deploy, WorkflowDispatch, GPUCapture}
}

// Addresses reports whether writes of the kind have a target.
func (k Kind) Addresses() bool { return k != GPUCapture }

// Target says in words what the kind addresses.
func (k Kind) Target() string {
	switch k {
	case DraftPR, WorkflowDispatch:
		return "a repository, owner/name"
	case TrackerComment:
		return "a tracker item, such as PROJ-12"
	case ChatMessage:
		return "a chat destination"
	case ImagePush:
		return "a repository of a registry, host/path"
	case Deploy:
		return "a deployment, namespace/name"
	default:
		return "nothing"
	}
}

// defaultCount is how many writes a pack gets that does not declare the kind.
func (k Kind) defaultCount() uint32 {
	switch k {
	case DraftPR, TrackerComment:
		return 2
	case ChatMessage:
		return 8
	case WorkflowDispatch:
		return 20
	default:
		return 100
	}
}
