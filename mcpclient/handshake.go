package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/gongu-ai/gongu/internal/rawjson"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The revisions of the protocol, newest first. From firstModern on there is no
// handshake.
const (
	firstModern  = "2026-07-28"
	newestLegacy = "2025-11-25"
	codeHeader   = -32020
	codeMissing  = -32021
	codeVersion  = -32022
	probeTimeout = 3 * time.Second
)

var knownVersions = []string{firstModern, newestLegacy, "2025-06-18", "2025-03-26", "2024-11-05"}

// era is what is known about the revisions that a server supports.
type era int

const (
	eraUnknown era = iota
	eraLegacy
	eraModern
)

// ServerInfo is a server's description of itself.
type ServerInfo struct {
	Name, Version   string
	ProtocolVersion string
	// Modern says that the revision is 2026-07-28 or newer.
	Modern       bool
	Capabilities json.RawMessage
	Instructions string
}

// offers reports whether the server has a capability, such as tools.
func (i *ServerInfo) offers(path ...string) bool {
	raw := i.Capabilities
	for _, name := range path {
		if raw = rawjson.Member(raw, name); isNull(raw) || string(raw) == "false" {
			return false
		}
	}
	return true
}

// errOtherEra means that the server exited at a request that it did not know.
var errOtherEra = errors.New("the server ended when it was asked for its version")

// handshake negotiates the revision and identifies the client.
func (s *session) handshake(ctx context.Context, known era, version string) error {
	switch {
	case version >= firstModern:
		return s.discover(ctx, version)
	case version != "":
		return s.initialize(ctx, version)
	case known == eraLegacy:
		return s.initialize(ctx, newestLegacy)
	}
	if s.conn.traits().pipe {
		return s.probePipe(ctx)
	}
	err := s.discover(ctx, firstModern)
	if err == nil || !meansLegacy(err) {
		return err
	}
	return s.initialize(ctx, newestLegacy)
}

// probePipe sends server/discover first. To a server that does not answer in
// time it sends initialize, too, because old servers may ignore unknown requests
// and slow ones may still answer. The first valid answer counts.
func (s *session) probePipe(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan probed, 2)
	ask := func(modern bool, method string, params json.RawMessage) {
		s.background(func() {
			result, err := s.roundTrip(ctx, &request{method: method, params: params, complete: true})
			answers <- probed{modern, result, err}
		})
	}
	ask(true, "server/discover", s.discoverParams(firstModern))
	timer := time.NewTimer(probeTimeout)
	defer timer.Stop()
	open, asked := 1, false
	askOldWay := func() {
		if !asked {
			asked = true
			open++
			ask(false, "initialize", s.initializeParams(newestLegacy))
		}
	}
	var failure error
	for open > 0 {
		select {
		case p := <-answers:
			open--
			if p.err == nil && p.modern {
				p.err = s.acceptDiscovery(p.result, firstModern)
			} else if p.err == nil {
				return s.acceptInitialize(ctx, p.result)
			}
			if p.err == nil {
				return nil
			}
			failure = p.err
			if p.modern && meansLegacy(p.err) {
				askOldWay()
			}
		case <-timer.C:
			askOldWay()
		case <-s.lifetime.Done():
			if !asked {
				return fmt.Errorf("%w: %w", errOtherEra, s.failure)
			}
			return s.failure
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return failure
}

type probed struct {
	modern bool
	result json.RawMessage
	err    error
}

// meansLegacy reports whether an error of a modern request comes from a server
// that supports legacy revisions only. Errors that only modern servers return,
// and those of servers that cannot be reached, do not.
func meansLegacy(err error) bool {
	f := faultOf(err)
	if remote, ok := errors.AsType[*jsonrpc.Error](err); ok {
		version := listedVersion(remote)
		return !slices.Contains([]int64{codeHeader, codeMissing, codeVersion}, remote.Code) || version != "" && version < firstModern
	}
	if status, ok := errors.AsType[*statusError](err); ok {
		return status.status >= 400 && status.status < 500 && status.status != http.StatusTooManyRequests &&
			status.status != http.StatusUnauthorized && status.status != http.StatusForbidden || status.status == http.StatusInternalServerError
	}
	return f.reason == ReasonProtocol
}

// listedVersion returns the newest version that a refusal lists and that we
// know, or "".
func listedVersion(remote *jsonrpc.Error) string {
	var data struct {
		Supported []string `json:"supported"`
	}
	if remote.Code != codeVersion || json.Unmarshal(remote.Data, &data) != nil {
		return ""
	}
	for _, version := range knownVersions {
		if slices.Contains(data.Supported, version) {
			return version
		}
	}
	return ""
}

func (s *session) discoverParams(version string) json.RawMessage {
	return object([]member{{"_meta", object([]member{
		{metaVersion, quote(version)}, {metaClient, s.self}, {metaCapabilities, s.capabilities},
	})}})
}

// discover is the handshake of the modern era.
func (s *session) discover(ctx context.Context, version string) error {
	s.info.Store(&ServerInfo{Modern: true, ProtocolVersion: version})
	r := &request{method: "server/discover", params: s.discoverParams(version), complete: true}
	result, err := s.roundTrip(ctx, r)
	if remote, ok := errors.AsType[*jsonrpc.Error](err); ok {
		if best := listedVersion(remote); best >= firstModern {
			s.info.Store(&ServerInfo{Modern: true, ProtocolVersion: best})
			r.params = s.discoverParams(best)
			version = best
			result, err = s.roundTrip(ctx, r)
		}
	}
	if err == nil {
		err = s.acceptDiscovery(result, version)
	}
	if err != nil {
		s.info.Store(&ServerInfo{})
	}
	return err
}

func (s *session) acceptDiscovery(result json.RawMessage, version string) error {
	var read struct {
		Versions     []string                   `json:"supportedVersions"`
		Capabilities json.RawMessage            `json:"capabilities"`
		Instructions string                     `json:"instructions"`
		Meta         map[string]json.RawMessage `json:"_meta"`
	}
	if err := json.Unmarshal(result, &read); err != nil {
		return faultf(ReasonProtocol, true, "the answer to server/discover: %w", err)
	}
	if len(read.Versions) == 0 {
		// Some legacy servers answer every request with some result.
		return faultf(ReasonProtocol, true, "the answer to server/discover names no versions")
	}
	if !slices.Contains(read.Versions, version) {
		raw, err := json.Marshal(map[string]any{"supported": read.Versions})
		if err != nil {
			return err
		}
		return &jsonrpc.Error{Code: codeVersion, Message: fmt.Sprintf("the server speaks %v", read.Versions), Data: raw}
	}
	info := &ServerInfo{
		ProtocolVersion: version, Modern: true,
		Capabilities: read.Capabilities, Instructions: read.Instructions,
	}
	info.name(read.Meta[metaServer])
	s.info.Store(info)
	return nil
}

func (i *ServerInfo) name(raw json.RawMessage) {
	var server struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	if json.Unmarshal(raw, &server) == nil {
		i.Name, i.Version = server.Name, server.Version
	}
}

func (s *session) initializeParams(version string) json.RawMessage {
	return object([]member{
		{"protocolVersion", quote(version)}, {"capabilities", s.capabilities}, {"clientInfo", s.self},
	})
}

// initialize is the handshake of the legacy era.
func (s *session) initialize(ctx context.Context, version string) error {
	result, err := s.roundTrip(ctx, &request{method: "initialize", params: s.initializeParams(version), complete: true})
	if err != nil {
		return err
	}
	return s.acceptInitialize(ctx, result)
}

func (s *session) acceptInitialize(ctx context.Context, result json.RawMessage) error {
	var read struct {
		Version      string          `json:"protocolVersion"`
		Capabilities json.RawMessage `json:"capabilities"`
		Instructions string          `json:"instructions"`
		Server       json.RawMessage `json:"serverInfo"`
	}
	if err := json.Unmarshal(result, &read); err != nil {
		return faultf(ReasonProtocol, true, "the answer to initialize: %w", err)
	}
	if read.Version >= firstModern || !slices.Contains(knownVersions, read.Version) {
		return faultf(ReasonProtocol, true, "the server answers initialize with the version %q, which cannot be spoken that way", read.Version)
	}
	info := &ServerInfo{ProtocolVersion: read.Version, Capabilities: read.Capabilities, Instructions: read.Instructions}
	info.name(read.Server)
	s.info.Store(info)
	s.conn.setVersion(read.Version)
	if err := s.tell(ctx, "notifications/initialized", nil); err != nil {
		return err
	}
	s.conn.listen(ctx)
	return nil
}
