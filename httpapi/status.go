package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/source"
	"github.com/gongu-ai/gongu/toolrequest"
)

var (
	//go:embed status.html
	statusHTML string
	//go:embed status.css
	statusCSS string
)

// statusPage is the page at / with the state and the address of the server. It
// has no scripts, and its headers allow none.
type statusPage struct {
	template *template.Template
	policy   string
}

func newStatusPage() (*statusPage, error) {
	parsed, err := template.New("status").Option("missingkey=error").Parse(statusHTML)
	if err != nil {
		return nil, fmt.Errorf("status page: %w", err)
	}
	// Only the style with this hash may be loaded.
	sum := sha256.Sum256([]byte(statusCSS))
	return &statusPage{
		template: parsed,
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}, nil
}

// pageData is the data of the page. Texts from outside are passed through plain.
type pageData struct {
	Lang, OtherLang, OtherName, Version, URL string

	CSS      template.CSS
	W        map[string]string
	Refresh  int
	Draining bool
	// Who is the principal, and Manages whether it may decide.
	Who     string
	Manages bool
	// Whole is set when the principal may see the whole server.
	Whole        bool
	Tools        string
	Sources      []pageSource
	Troubled     int
	TroubledText string
	Open, Held   string
	Asked        string
	AskedAny     bool
	OpenAny      bool
	HeldAny      bool
	Change       *pageChange
	Agents       []string
	Domains      []pageDomain
	MoreDomains  string
	Problem      string
}

type pageSource struct {
	Name, Kind, State, Class, Reason string
	Tools, Held                      int
}

// pageChange is a change of the bundle that is held back.
type pageChange struct {
	Title, More, Error, How, Accept string
	Files                           []pageFile
}

type pageFile struct{ Kind, Name, Summary string }

type pageDomain struct {
	Name, Description, More string
	Count                   int
	Names                   []string
	Open                    bool
}

const (
	pageAgents  = 20
	pageDomains = 60
	pageNames   = 40
	// openDomains is up to how many domains are shown unfolded.
	openDomains = 3
)

// Page serves the status page at / and nothing else.
func (a *API) Page() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
			return
		}
		_, who := withPrincipal(r)
		if access.ApprovalsOnly(who) {
			http.Redirect(w, r, ApprovalsPath, http.StatusSeeOther)
			return
		}
		a.see(r.Context(), who)
		var out bytes.Buffer
		if err := a.page.template.Execute(&out, a.pageData(r)); err != nil {
			a.opts.Logger.Error("rendering the status page failed", "error", err)
			http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
			return
		}
		header := w.Header()
		header.Set("Content-Type", "text/html; charset=utf-8")
		header.Set("Content-Security-Policy", a.page.policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cache-Control", "no-store")
		w.Write([]byte(a.opts.Secrets.Redact(out.String()))) // the client may have disconnected
	})
}

func (a *API) pageData(r *http.Request) pageData {
	l := a.langOf(r)
	if chosen, known := lang.Parse(r.URL.Query().Get("lang")); known {
		l = chosen
	}
	r, who := withPrincipal(r)
	d := pageData{
		Lang: string(l), OtherLang: string(lang.Korean), OtherName: "한국어", Version: plain(a.opts.Version),
		URL: address(r), CSS: template.CSS(statusCSS), W: pageWords(l), Draining: a.draining.Load(), Whole: access.Whole(who) == nil,
		Who: plain(who.Name), Manages: who.Manage != "",
	}
	if l == lang.Korean {
		d.OtherLang, d.OtherName = string(lang.English), "English"
	}
	if n, err := strconv.Atoi(r.URL.Query().Get("refresh")); err == nil && n >= 5 && n <= 3600 {
		d.Refresh = n
	}
	for _, name := range a.opts.Backend.Agents() {
		if who.MayUse(name) && len(d.Agents) < pageAgents {
			d.Agents = append(d.Agents, plain(name))
		}
	}
	if d.Whole {
		a.addSources(&d, l)
		a.addPins(&d)
		a.addApprovals(r.Context(), &d)
		a.addChange(&d, l)
	}
	if access.Requests(who) == nil {
		a.addRequests(r.Context(), &d)
	}
	a.addTools(r, &d, who, l)
	return d
}

func (a *API) addSources(d *pageData, l lang.Lang) {
	for _, s := range a.opts.Sources.Status() {
		class, text := stateWord(s.State)
		if class == "bad" || class == "warn" {
			d.Troubled++
		}
		d.Sources = append(d.Sources, pageSource{
			Name: plain(s.Name), Kind: plain(s.Identity), State: text.In(l), Class: class,
			Reason: clip(plain(a.opts.Secrets.Redact(s.Reason))), // before it is cut
			Tools:  s.Tools, Held: s.Held,
		})
	}
	d.TroubledText = lang.PageTroubled.In(l, d.Troubled)
}

// pageFiles is how many files of a held change are shown.
const pageFiles = 40

// addChange adds what of the bundle is held back, and how a person accepts it.
func (a *API) addChange(d *pageData, l lang.Lang) {
	if a.opts.Bundle == nil {
		return
	}
	held := a.opts.Bundle().Held
	if held == nil {
		return
	}
	shown := func(text string) string { return clip(plain(a.opts.Secrets.Redact(text))) }
	change := &pageChange{Title: lang.PageChange.In(l), Error: shown(held.Error), How: lang.PageAccept.In(l), Accept: plain(held.Accept)}
	if held.Waiting {
		change.Title = lang.PageWaiting.In(l)
	}
	words := map[bundle.ChangeKind]lang.Text{bundle.Added: lang.CLIChangeAdded, bundle.Changed: lang.CLIChangeChanged, bundle.Removed: lang.CLIChangeRemoved}
	for i, c := range held.Changes {
		if i == pageFiles {
			change.More = lang.PageMoreTools.In(l, len(held.Changes)-pageFiles)
			break
		}
		summary := c.Summary
		if c.By != "" {
			summary = strings.TrimSpace(summary + " " + lang.CLIChangeBy.In(l, c.By))
		}
		change.Files = append(change.Files, pageFile{words[c.Kind].In(l), shown(c.Label), shown(summary)})
	}
	d.Change = change
}

func stateWord(state source.State) (class string, text lang.Text) {
	switch state {
	case source.Ready:
		return "ok", lang.PageReady
	case source.Degraded:
		return "warn", lang.PageDegraded
	case source.Quarantined:
		return "warn", lang.PageQuarantined
	case source.Failed:
		return "bad", lang.PageFailed
	case source.Connecting:
		return "", lang.PageConnecting
	}
	return "", lang.PageIdle
}

// unknown is shown for a number that could not be read.
const unknown = "–"

func (a *API) addPins(d *pageData) {
	d.Held = unknown
	verdicts, err := a.opts.Sources.Pins()
	if err != nil {
		a.opts.Logger.Warn("reading the pins for the status page failed", "error", err)
		return
	}
	held := CountHeld(verdicts)
	d.Held, d.HeldAny = strconv.Itoa(held), held > 0
}

func (a *API) addApprovals(ctx context.Context, d *pageData) {
	if a.opts.Approvals == nil {
		return
	}
	d.Asked = unknown
	waiting, err := a.opts.Approvals.CountApprovals(ctx)
	if err != nil {
		a.opts.Logger.Warn("counting the approvals for the status page failed", "error", err)
		return
	}
	d.Asked, d.AskedAny = strconv.Itoa(waiting), waiting > 0
}

func (a *API) addRequests(ctx context.Context, d *pageData) {
	d.Open = unknown
	store := a.opts.Backend.Requests()
	if store == nil {
		return
	}
	found, err := store.List(ctx, toolrequest.Filter{Status: toolrequest.Queued, Limit: maxLimit})
	if err != nil {
		a.opts.Logger.Warn("reading the tool requests for the status page failed", "error", err)
		return
	}
	d.Open, d.OpenAny = strconv.Itoa(len(found.Requests)), len(found.Requests) > 0
	if found.NextCursor != "" {
		d.Open += "+"
	}
}

func (a *API) addTools(r *http.Request, d *pageData, who *gongu.Principal, l lang.Lang) {
	x := &exchange{api: a, r: r, lang: l, who: who}
	catalog, err := x.catalogOf("")
	if err != nil {
		f := failureOf(err)
		if f.code == CodeInternal {
			a.opts.Logger.Warn("listing the tools for the status page failed", "error", err)
		}
		d.Problem = f.message(l)
		return
	}
	domains := catalog.Domains()
	d.Tools = strconv.Itoa(countTools(catalog))
	if d.Whole {
		d.Tools = lang.PageOffered.In(l, d.Tools, countTools(gongu.Everything(a.opts.Backend.Registry())))
	}
	for i, domain := range domains {
		if i < pageDomains {
			d.Domains = append(d.Domains, pageDomainOf(catalog, domain, len(domains) <= openDomains, l))
		}
	}
	if more := len(domains) - pageDomains; more > 0 {
		d.MoreDomains = lang.PageMoreDomains.In(l, more)
	}
}

func pageDomainOf(catalog *gongu.Catalog, domain gongu.Domain, open bool, l lang.Lang) pageDomain {
	out := pageDomain{
		Name: plain(domain.Name), Description: clip(plain(domain.Description)), Count: domain.Count, Open: open,
	}
	tools := inDomain(catalog, domain.Name)
	for _, t := range tools[:min(pageNames, len(tools))] {
		out.Names = append(out.Names, plain(t.Name))
	}
	if more := len(tools) - len(out.Names); more > 0 {
		out.More = lang.PageMoreTools.In(l, more)
	}
	return out
}

var hostForm = regexp.MustCompile(`^[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?$|^\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{1,5})?$`)

// address returns the address of the server for the page. People copy it into a
// shell, so only a plain host is shown.
func address(r *http.Request) string {
	scheme, host := "http", r.Host
	if r.TLS != nil {
		scheme = "https"
	}
	if !hostForm.MatchString(host) {
		host = "127.0.0.1:7410"
	}
	return scheme + "://" + host
}

// plain replaces invisible and bidirectional control characters. The template
// escapes HTML.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

func pageWords(l lang.Lang) map[string]string {
	words := map[string]string{}
	for key, text := range map[string]lang.Text{
		"title":       lang.PageTitle,
		"running":     lang.PageRunning,
		"draining":    lang.PageDraining,
		"refresh":     lang.PageRefresh,
		"stopRefresh": lang.PageStopRefresh,
		"manages":     lang.PageManages,
		"tools":       lang.PageTools,
		"offered":     lang.PageToolsOffered,
		"sources":     lang.PageSources,
		"open":        lang.PageOpen,
		"held":        lang.PageHeld,
		"asked":       lang.PageAsked,
		"connect":     lang.PageConnect,
		"automatic":   lang.PageAutomatic,
		"other":       lang.PageOther,
		"sourcesHead": lang.PageSourcesHead,
		"source":      lang.PageSource,
		"state":       lang.PageState,
		"heldColumn":  lang.PageHeldColumn,
		"note":        lang.PageNote,
		"noSources":   lang.PageNoSources,
		"domains":     lang.PageDomains,
		"noTools":     lang.PageNoTools,
		"metrics":     lang.PageMetrics,
		"readiness":   lang.PageReadiness,
	} {
		words[key] = text.In(l)
	}
	return words
}
