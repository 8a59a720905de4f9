package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// Options configure [New].
type Options struct {
	Lang lang.Lang
	// Writer has the secrets and the colour of what is shown.
	Writer *terminal.Writer
	Getenv func(string) string
	// Show returns the command that shows an approval whole.
	Show func(id string) string
	// Dir is the folder for the arguments that are being edited.
	Dir string
	// Describe says what a call will do with other arguments; nil knows only
	// commands.
	Describe func(ctx context.Context, c *state.ApprovalCall) policy.Preview
	// Rule returns a rule as it would be written, and the file that it would be
	// added to. Nil offers no rules.
	Rule func(policy.Rule) (text, file string, err error)
	// AddRule adds a rule that was shown.
	AddRule func(context.Context, policy.Rule) error
}

// Asker asks at the controlling terminal of this process, one question at a time.
type Asker struct {
	o    Options
	turn chan struct{}

	mu sync.Mutex
	// rules are those that were shown and confirmed, by approval.
	rules map[string]policy.Rule
}

var _ policy.Asker = (*Asker)(nil)

// New returns an asker.
func New(o Options) *Asker {
	return &Asker{o: o, turn: make(chan struct{}, 1), rules: map[string]policy.Rule{}}
}

// The reasons why there is no answer.
var (
	// ErrSkipped means that the person leaves the question open.
	ErrSkipped = errors.New("the question was skipped")
	// ErrBackground means that this process cannot read from its terminal now.
	ErrBackground = errors.New("the process is in the background of its terminal")
)

// errChanged is the cause of a context whose approval asks for something else now.
var errChanged = errors.New("the approval has changed")

// Ended is the cause of a context that ends because its approval was decided
// elsewhere or has ended.
type Ended struct{ Approval *state.Approval }

func (e *Ended) Error() string { return Outcome(e.Approval, lang.English) }

// Ask shows an approval and returns the answer that is typed. When ctx ends, it
// withdraws the question.
func (k *Asker) Ask(ctx context.Context, a *state.Approval) (policy.Answer, error) {
	answer, err := k.ask(ctx, a, nil, "")
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: %w", policy.ErrNoAnswer, err)
	}
	return answer, err
}

// ask is Ask at a terminal that may be open already, with more keys.
func (k *Asker) ask(ctx context.Context, a *state.Approval, tty *terminal.Terminal, more string) (policy.Answer, error) {
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return policy.Answer{}, ctx.Err()
	}
	if tty == nil {
		opened, err := terminal.Open()
		if err != nil {
			return policy.Answer{}, err
		}
		defer opened.Close()
		tty = opened
	}
	if !tty.Foreground() {
		return policy.Answer{}, ErrBackground
	}
	shown := *a
	shown.Calls = slices.Clone(a.Calls)
	q := &question{Asker: k, tty: tty, a: &shown, more: more}
	answer, err := q.run(ctx)
	if ctx.Err() != nil {
		q.withdraw(ctx)
		return policy.Answer{}, ctx.Err()
	}
	return answer, err
}

// question is one question at the terminal.
type question struct {
	*Asker
	tty *terminal.Terminal
	// a is the approval, with the arguments as they are by now.
	a *state.Approval
	// more are additional keys.
	more string
	// args are those that the person put in the place of the caller's; text is
	// what was typed last, which may be invalid.
	args json.RawMessage
	text []byte
}

func (q *question) show(text string) error { return q.tty.Show(text, q.o.Writer) }

func (q *question) say(text lang.Text, args ...any) string { return text.In(q.o.Lang, args...) }

func (q *question) prompt(ctx context.Context, text string) (string, error) {
	line, err := q.tty.Prompt(ctx, text, q.o.Writer)
	return strings.TrimSpace(line), err
}

// whole returns the text of the approval.
func (q *question) whole(all bool) string {
	o := TextOptions{Lang: q.o.Lang, Whole: all, Paint: q.paint()}
	if q.o.Show != nil {
		o.All = q.o.Show(q.a.ID)
	}
	return Text(q.a, o)
}

func (q *question) paint() func(colour, text string) string {
	return (&terminal.Writer{Out: q.tty.Out, Colour: q.o.Writer.Colour}).Painter(q.o.Getenv)
}

// possible returns the keys that can be typed.
func (q *question) possible() string {
	keys := "yn"
	if len(q.a.Calls) == 1 {
		if q.a.Way != state.WaitPermit { // no call waits that could get them
			keys += "e"
		}
		keys += "r"
	}
	return keys + q.more + "a?"
}

func (q *question) run(ctx context.Context) (policy.Answer, error) {
	text := "\n" + q.whole(false)
	for {
		keys := q.possible()
		asked := q.say(lang.ApprovalPrompt, terminal.Visible(q.a.Tool)) + " [" + strings.Join(strings.Split(keys, ""), "/") + "] "
		line, err := q.prompt(ctx, text+asked)
		if err != nil {
			return policy.Answer{}, err
		}
		text = ""
		word, reason, _ := strings.Cut(line, " ")
		switch key := keyOf(word); {
		case key == "y" && reason == "":
			return policy.Answer{Approve: true, Args: q.args}, nil
		case key == "n":
			return policy.Answer{Reason: strings.TrimSpace(reason)}, nil
		case key == "" || reason != "" || !strings.Contains(keys, key):
			text = q.help(keys)
		case key == "e":
			text, err = q.edit(ctx)
		case key == "r":
			remember, back, failed := q.remember(ctx)
			if failed == nil && back == "" {
				return policy.Answer{Approve: true, Args: q.args, Remember: remember}, nil
			}
			text, err = back, failed
		case key == "s":
			return policy.Answer{}, ErrSkipped
		case key == "a":
			text = q.whole(true)
		default:
			text = q.help(keys)
		}
		if err != nil {
			return policy.Answer{}, err
		}
	}
}

// keyOf returns the key that an answer means, or "".
func keyOf(word string) string {
	word = strings.ToLower(word)
	switch {
	case terminal.IsYes(word):
		return "y"
	case slices.Contains([]string{"no", "아니오", "아니요"}, word):
		return "n"
	case len(word) == 1:
		return word
	}
	return ""
}

func (q *question) help(keys string) string {
	text := q.say(lang.AskHelp)
	for _, more := range []struct {
		key  string
		text lang.Text
	}{{"e", lang.AskHelpEdit}, {"r", lang.AskHelpKeep}, {"s", lang.AskHelpLater}, {"a", lang.AskHelpAll}} {
		if strings.Contains(keys, more.key) {
			text += q.say(more.text)
		}
	}
	return text
}

// withdraw says that the question is over.
func (q *question) withdraw(ctx context.Context) {
	text := q.say(lang.AskOver)
	ended, isEnded := errors.AsType[*Ended](context.Cause(ctx))
	switch {
	case errors.Is(context.Cause(ctx), errChanged):
		text = q.say(lang.AskChanged)
	case isEnded:
		text = q.say(lang.AskOverBy, terminal.Visible(Outcome(ended.Approval, q.o.Lang)))
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		text = q.say(lang.AskOverTime)
	}
	_ = q.show("\n" + text + "\n") // the terminal may be gone
}
