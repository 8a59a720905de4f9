package gongu

import (
	"context"
	"encoding/json"
	"time"
)

// AgentRuntime sends messages to other agents. Its errors may be an [Error] with
// a code such as AGENT_NOT_FOUND.
type AgentRuntime interface {
	// Request sends a message and waits for the reply, unless the message is
	// async.
	Request(ctx context.Context, message AgentMessage) (AgentReply, error)
	// Send sends a message without a reply.
	Send(ctx context.Context, message AgentMessage) (AgentReply, error)
	// Spawn starts an instance of wanted.Target, with InstanceKey and Cwd if
	// they are set. Spawned of the returned instance is false if it existed.
	Spawn(ctx context.Context, wanted AgentInfo) (AgentInfo, error)
	// List returns the instances that the calling agent and instance spawned,
	// or all, sorted by creation time.
	List(ctx context.Context, includeAll bool) ([]AgentInfo, error)
	Catalog(ctx context.Context) (AgentCatalog, error)
}

// AgentMessage is an event for another agent.
type AgentMessage struct {
	Target string `json:"target"`
	// Event is a JSON object with type, input, instanceKey and metadata, as
	// the sender wrote it.
	Event json.RawMessage `json:"event"`
	// Timeout bounds the wait for a reply; zero is 60 s.
	Timeout time.Duration `json:"-"`
	// Async makes Request return at once; the reply arrives as a message.
	Async bool `json:"-"`
}

// AgentReply is the outcome of a message. Only Request sets Response.
type AgentReply struct {
	EventID       string          `json:"eventId"`
	Target        string          `json:"target"`
	Response      json.RawMessage `json:"response,omitempty"`
	CorrelationID string          `json:"correlationId,omitempty"`
	Accepted      bool            `json:"accepted,omitempty"`
	Async         bool            `json:"async,omitempty"`
}

// AgentInfo describes a running instance of an agent.
type AgentInfo struct {
	Target           string    `json:"target"`
	InstanceKey      string    `json:"instanceKey"`
	OwnerAgent       string    `json:"ownerAgent"`
	OwnerInstanceKey string    `json:"ownerInstanceKey"`
	CreatedAt        time.Time `json:"createdAt"`
	Cwd              string    `json:"cwd,omitempty"`
	// Spawned is set by Spawn when the instance did not exist before.
	Spawned bool `json:"-"`
}

// AgentCatalog describes the swarm that the calling agent belongs to.
// CallableAgents is sorted and does not contain the caller.
type AgentCatalog struct {
	SwarmName       string   `json:"swarmName"`
	EntryAgent      string   `json:"entryAgent"`
	SelfAgent       string   `json:"selfAgent"`
	AvailableAgents []string `json:"availableAgents"`
	CallableAgents  []string `json:"callableAgents"`
}
