package serve

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/dialect"
	"github.com/gongu-ai/gongu/internal/lang"
)

// maxLists and maxListBytes limit the lists that are cached: a list of 10,000
// tools has 5 MB, and each era its own.
const (
	maxLists     = 64
	maxListBytes = 48 << 20
)

// toolList is an encoded list of tools.
type toolList struct {
	modern bool
	mark   string // identifies the list in its cursors
	pages  []json.RawMessage
}

func (l *toolList) size() int {
	size := 0
	for _, page := range l.pages {
		size += len(page)
	}
	return size
}

// toolsList answers tools/list.
func (s *Server) toolsList(ctx context.Context, rq *request) (json.RawMessage, *rpcError) {
	var list *toolList
	s.opts.Backend.Prepare(ctx, "")
	refusal := s.step(ctx, rq, func(_ context.Context, x *gongu.Executor) *rpcError {
		list = s.listOf(rq.agent, x.Catalog(), rq.modern)
		return nil
	})
	if refusal != nil {
		return nil, refusal
	}
	return s.page(list, text(member(rq.msg.params, "cursor")))
}

func (s *Server) page(list *toolList, cursor string) (json.RawMessage, *rpcError) {
	if cursor == "" {
		return list.pages[0], nil
	}
	mark, number, _ := strings.Cut(cursor, ".")
	n, err := strconv.Atoi(number)
	if err != nil || mark != list.mark || n < 1 || n >= len(list.pages) {
		return nil, s.fail(codeParams, lang.ServeBadCursor).with(400)
	}
	return list.pages[n], nil
}

// listOf returns the list of a catalog. Principals with the same catalog share
// it.
func (s *Server) listOf(agent string, catalog *gongu.Catalog, modern bool) *toolList {
	if catalog == nil {
		return &toolList{pages: []json.RawMessage{s.listPage("tools", nil, "", modern)}}
	}
	match := func(l *toolList) bool { return l.modern == modern }
	list, found, _ := s.toolLists.Get(agent, catalog, match, func() (*toolList, int, error) { // never fails
		made := s.encodeList(catalog, modern)
		return made, made.size(), nil
	})
	if found {
		s.count.listHits.Add(1)
	} else {
		s.count.listBuilds.Add(1)
	}
	return list
}

// markOf identifies a list by the revision of the registry and the names shown.
func markOf(catalog *gongu.Catalog, tools []gongu.Tool) string {
	shown := fnv.New128a()
	for i := range tools {
		_, _ = shown.Write([]byte(tools[i].Name)) // never fails
		_, _ = shown.Write([]byte{0})
	}
	return strconv.FormatUint(catalog.Revision(), 36) + "-" + hex.EncodeToString(shown.Sum(nil))
}

func (s *Server) encodeList(catalog *gongu.Catalog, modern bool) *toolList {
	tools, _ := shown(catalog, s.opts.Mode, s.opts.Budget)
	size := max(len(tools), 1)
	if s.opts.Page > 0 {
		size = s.opts.Page
	}
	list := &toolList{modern: modern, mark: markOf(catalog, tools)}
	for chunk := range slices.Chunk(tools, size) {
		next := ""
		if (len(list.pages)+1)*size < len(tools) {
			next = list.mark + "." + strconv.Itoa(len(list.pages)+1)
		}
		list.pages = append(list.pages, s.listPage("tools", s.declarations(chunk, modern), next, modern))
	}
	if len(list.pages) == 0 {
		list.pages = []json.RawMessage{s.listPage("tools", nil, "", modern)}
	}
	return list
}

// declarations encodes tools for a client. It logs and leaves out tools that
// cannot be encoded.
func (s *Server) declarations(tools []gongu.Tool, modern bool) []json.RawMessage {
	out := make([]json.RawMessage, 0, len(tools))
	for _, tool := range tools {
		name := tool.Name
		served, err := s.names.served(name)
		if err == nil {
			tool.Name = served
			if !modern && !declaresObject(tool.Output) {
				tool.Output = "" // older clients reject the whole list otherwise
			}
			var declared dialect.Declaration
			if declared, err = dialect.Declare(dialect.MCP, tool, &dialect.Options{Lang: s.opts.Lang}); err == nil {
				out = append(out, declared.JSON)
				continue
			}
		}
		s.opts.Logger.Warn("a tool cannot be listed", "tool", name, "error", err)
	}
	return out
}

// declaresObject reports whether a schema has the root type object.
func declaresObject(schema gongu.Schema) bool {
	if schema == "" {
		return true
	}
	raw := []byte(schema)
	if wellFormed(raw, 1000) != nil {
		return false
	}
	return text(member(raw, "type")) == "object"
}

// listPage encodes one page of a list.
func (s *Server) listPage(field string, items []json.RawMessage, next string, modern bool) json.RawMessage {
	size := 0
	for _, item := range items {
		size += len(item) + 1
	}
	out := append(make([]byte, 0, size+len(field)+len(next)+64), `{"`+field+`":[`...)
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	out = append(out, ']')
	if next != "" {
		out = quote(append(out, `,"nextCursor":`...), next)
	}
	out = append(out, '}')
	if modern {
		return s.cacheable(out)
	}
	return out
}

// cacheable adds how long a modern client may cache a list. The scope is
// private, because the list depends on the principal.
func (s *Server) cacheable(result json.RawMessage) json.RawMessage {
	return splice(`"resultType":"complete","ttlMs":`+strconv.FormatInt(s.opts.TTL.Milliseconds(), 10)+
		`,"cacheScope":"private",`+s.about, result)
}
