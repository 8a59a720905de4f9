package httpapi

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/state"
)

var (
	//go:embed approvals.html
	approvalsHTML string
	//go:embed approvals.css
	approvalsCSS string
)

// ApprovalsPath is the path of the list of approvals. The page of one is below
// it.
const ApprovalsPath = "/approvals"

// approvalPages are the pages on which people decide about calls. They have no
// scripts, and their headers allow none.
type approvalPages struct {
	template *template.Template
	css      template.CSS
	policy   string
}

func newApprovalPages() (*approvalPages, error) {
	parsed, err := template.New("approvals").Option("missingkey=error").Parse(approvalsHTML)
	if err != nil {
		return nil, fmt.Errorf("pages of approvals: %w", err)
	}
	css := statusCSS + approvalsCSS
	sum := sha256.Sum256([]byte(css))
	return &approvalPages{
		template: parsed, css: template.CSS(css),
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
	}, nil
}

// ApprovalPages serves the list at [ApprovalsPath] and the pages below it. A page
// of another site cannot decide through it, whatever cookies the browser has.
func (a *API) ApprovalPages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+ApprovalsPath, func(w http.ResponseWriter, r *http.Request) { a.pageExchange(w, r).listPage() })
	mux.HandleFunc("GET "+ApprovalsPath+"/{id}", func(w http.ResponseWriter, r *http.Request) { a.pageExchange(w, r).approvalPage("", http.StatusOK) })
	mux.HandleFunc("POST "+ApprovalsPath+"/{id}", func(w http.ResponseWriter, r *http.Request) { a.pageExchange(w, r).decisionPage() })
	return http.NewCrossOriginProtection().Handler(mux)
}

func (a *API) pageExchange(w http.ResponseWriter, r *http.Request) *exchange {
	x := a.exchange(w, r, nil)
	if chosen, known := lang.Parse(r.URL.Query().Get("lang")); known {
		x.lang = chosen
	}
	return x
}

// approvalPageData is the data of both pages. Texts from outside are passed
// through shown.
type approvalPageData struct {
	Lang, OtherLang, OtherName, Who, Notice string

	CSS template.CSS
	W   map[string]string

	// The list.
	Waiting, Past approvalItems
	Next          string

	// One approval. Missing means that there is none.
	Missing, Pending, Decides, Looks bool
	Item                             approvalItem
	Facts                            []fact
	Calls                            []approvalCallPage
	Version                          int64
	Request                          string
}

type approvalItems struct {
	Lang  string
	Items []approvalItem
}

type approvalItem struct{ ID, Tool, State, Class, Caller, Agent, Created, By string }

type fact struct{ Name, Value string }

type approvalCallPage struct {
	Title, Warning, Args string
	Done                 bool
	Parts                []textPart
	Facts                []fact
}

// shown makes a text from elsewhere fit to be shown.
func (x *exchange) shown(text string) string { return plain(x.api.opts.Secrets.Redact(text)) }

func (x *exchange) say(t lang.Text, args ...any) string { return t.In(x.lang, args...) }

func (x *exchange) approvalPageData(notice string) *approvalPageData {
	d := &approvalPageData{
		Lang: string(x.lang), OtherLang: string(lang.Korean), OtherName: "한국어", Who: x.shown(x.who.Name), Notice: x.shown(notice),
		CSS: x.api.approvals.css, W: approvalWords(x.lang),
	}
	if x.lang == lang.Korean {
		d.OtherLang, d.OtherName = string(lang.English), "English"
	}
	return d
}

// pageApprovals is how many approvals a page lists.
const pageApprovals = 100

// listPage shows the approvals that the principal may see.
func (x *exchange) listPage() {
	x.api.see(x.r.Context(), x.who)
	found, next, err := x.pageOfApprovals(state.ApprovalFilter{Limit: pageApprovals}, x.r.URL.Query().Get("cursor"))
	if err != nil {
		x.failPage(err)
		return
	}
	d := x.approvalPageData("")
	d.Waiting.Lang, d.Past.Lang, d.Next = d.Lang, d.Lang, next
	for _, v := range found {
		list := &d.Past
		if v.State == state.ApprovalPending {
			list = &d.Waiting
		}
		list.Items = append(list.Items, x.approvalItem(v))
	}
	x.render(http.StatusOK, "list", d)
}

func (x *exchange) approvalItem(v *state.Approval) approvalItem {
	class, text := approvalState(v.State)
	return approvalItem{
		ID: v.ID, Tool: x.shown(v.Tool), State: x.say(text), Class: class, Caller: x.shown(cmp.Or(v.Principal, "gongu")),
		Agent: x.shown(v.Agent), Created: clock(v.Created), By: x.shown(v.By),
	}
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

// approvalPage shows one approval, after a notice.
func (x *exchange) approvalPage(notice string, status int) {
	x.api.see(x.r.Context(), x.who)
	v, err := x.approval(x.r.PathValue("id"))
	if err != nil {
		x.failPage(err)
		return
	}
	d := x.approvalPageData(notice)
	d.Item, d.Version, d.Request = x.approvalItem(v), v.Version, rand.Text()
	d.Pending = v.State == state.ApprovalPending
	may := access.Decide(x.who, access.DecideApproval) == nil
	d.Decides, d.Looks = d.Pending && may, d.Pending && !may
	d.Facts = x.approvalFacts(v)
	for i := range v.Calls {
		d.Calls = append(d.Calls, x.approvalCall(v, i))
	}
	x.render(status, "one", d)
}

// approvalFacts are those of the whole approval.
func (x *exchange) approvalFacts(v *state.Approval) []fact {
	var facts []fact
	add := func(name lang.Text, value string) {
		if value != "" {
			facts = append(facts, fact{x.say(name), x.shown(value)})
		}
	}
	caller := v.Principal
	if v.PrincipalKind != "" {
		caller += " (" + v.PrincipalKind + ")"
	}
	add(lang.PageApprovalCaller, caller)
	add(lang.PageApprovalAgent, v.Agent)
	add(lang.PageApprovalInstance, v.Instance)
	add(lang.PageApprovalTurn, v.Turn)
	add(lang.PageApprovalCreated, clock(v.Created))
	switch v.State {
	case state.ApprovalPending:
		add(lang.PageApprovalExpires, clock(v.Expires))
	case state.ApprovalApproved:
		add(lang.PageApprovalUsable, clock(v.Expires))
	}
	if !v.Decided.IsZero() {
		add(lang.PageApprovalDecided, clock(v.Decided))
		add(lang.PageApprovalBy, v.By+" ("+v.ByKind+")")
		add(lang.PageApprovalReason, v.Reason)
	}
	return facts
}

// approvalCall shows one call with everything that the answer is bound to.
func (x *exchange) approvalCall(v *state.Approval, i int) approvalCallPage {
	c := &v.Calls[i]
	out := approvalCallPage{Title: x.say(lang.PageApprovalDoes), Done: c.Approved && v.State == state.ApprovalPending, Args: x.shownLines(string(c.Args))}
	if len(v.Calls) > 1 {
		out.Title = x.say(lang.PageApprovalOf, i+1, len(v.Calls)) + ": " + x.shown(c.Tool)
	}
	switch {
	case c.Changed:
		out.Warning = x.say(lang.PageApprovalEdited)
	case c.Dynamic:
		out.Warning = x.say(lang.PageApprovalDynamic)
	}
	out.Parts = x.parts(previewText(c, x.lang, mark))
	add := func(name lang.Text, value string) {
		if value != "" {
			out.Facts = append(out.Facts, fact{x.say(name), x.shown(value)})
		}
	}
	add(lang.PageApprovalTool, c.Tool)
	add(lang.PageApprovalDigest, "sha256:"+hex.EncodeToString(c.Digest))
	add(lang.PageApprovalCall, c.CallID)
	add(lang.PageApprovalRule, strings.TrimSpace(c.Rule+" "+c.RuleDigest))
	add(lang.PageApprovalMessage, c.Message)
	add(lang.PageApprovalWho, strings.Join(c.Approvers, ", "))
	for _, f := range c.Files {
		add(lang.PageApprovalFile, f.Path+" · "+cmp.Or(f.Digest, x.say(lang.PageApprovalNoFile)))
	}
	return out
}

// decisionPage decides as the form says, and then shows what is true.
func (x *exchange) decisionPage() {
	in, err := x.decisionForm()
	if err == nil {
		if access.Decide(x.who, access.DecideApproval) != nil {
			err = fail(CodeForbidden, lang.APINotManager.With(), lang.APINotManagerHint.With())
		} else {
			_, _, err = x.decide(x.r.PathValue("id"), in)
		}
	}
	if err == nil {
		x.api.opts.Logger.Info("decision over HTTP", "operation", access.DecideApproval, "about", x.about, "by", x.reviewer(), "approve", *in.Approve)
		// The page is loaded with GET, so that loading it again decides nothing.
		http.Redirect(x.w, x.r, x.r.URL.EscapedPath()+"?lang="+string(x.lang), http.StatusSeeOther)
		return
	}
	f := failureOf(err)
	if f.code == CodeNotFound || f.code == CodeInternal || f.code == CodeBusy {
		x.failPage(err)
		return
	}
	x.approvalPage(f.message(x.lang)+". "+f.hint(x.lang), kinds[f.code].status)
}

// decisionForm reads the form of the page.
func (x *exchange) decisionForm() (*decisionJSON, error) {
	if media, _, err := mime.ParseMediaType(x.r.Header.Get("Content-Type")); err != nil || media != "application/x-www-form-urlencoded" {
		return nil, fail(CodeMediaType, lang.APIMediaType.With(clip(cmp.Or(x.r.Header.Get("Content-Type"), "-"))), lang.APIBodyHint.With())
	}
	x.r.Body = http.MaxBytesReader(x.w, x.r.Body, smallBody)
	if err := x.r.ParseForm(); err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return nil, fail(CodeTooLarge, lang.APITooLarge.With(smallBody), lang.APITooLargeHint.With())
		}
		return nil, fail(CodeInvalid, lang.APIUnreadable.With(), lang.APIBodyHint.With())
	}
	form := x.r.PostForm
	in := &decisionJSON{Reason: form.Get("reason"), Request: form.Get("request")}
	switch form.Get("approve") {
	case "yes":
		in.Approve = new(true)
	case "no":
		in.Approve = new(false)
	}
	// The page shows one version, and both answers are about that one.
	var err error
	if in.Version, err = strconv.ParseInt(form.Get("version"), 10, 64); err != nil || in.Version <= 0 {
		return nil, fail(CodeInvalid, lang.APIMissing.With("version"), lang.APIMissingVersion.With())
	}
	return in, nil
}

// failPage shows an error in place of an approval.
func (x *exchange) failPage(err error) {
	f := failureOf(err)
	if f.code == CodeInternal {
		x.api.opts.Logger.Error("a page of approvals failed", "path", x.r.URL.Path, "error", err)
	}
	d := x.approvalPageData(f.message(x.lang) + ". " + f.hint(x.lang))
	d.Missing = true
	x.render(kinds[f.code].status, "one", d)
}

func (x *exchange) render(status int, name string, d *approvalPageData) {
	var out bytes.Buffer
	if err := x.api.approvals.template.ExecuteTemplate(&out, name, d); err != nil {
		x.api.opts.Logger.Error("rendering a page of approvals failed", "error", err)
		http.Error(x.w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	header := x.w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", x.api.approvals.policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	x.w.WriteHeader(status)
	x.w.Write([]byte(x.api.opts.Secrets.Redact(out.String()))) // the client may have disconnected
}
