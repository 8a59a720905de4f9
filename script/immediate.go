package script

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"log/slog"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"modernc.org/quickjs"

	"github.com/gongu-ai/gongu/internal/jsbuild"
	"github.com/gongu-ai/gongu/internal/jsurl"
	"github.com/gongu-ai/gongu/internal/lang"
)

// began is the origin of performance.now.
var began = time.Now()

// immediate is an operation that returns at once, on the goroutine of the VM.
type immediate func(w *worker, text string) (string, error)

var immediates = map[string]immediate{
	"encode": func(_ *worker, text string) (string, error) {
		return base64.StdEncoding.EncodeToString([]byte(text)), nil
	},
	"decode": func(_ *worker, text string) (string, error) { return decodeText(text) },
	"now": func(*worker, string) (string, error) {
		return fmt.Sprint(float64(time.Since(began).Microseconds()) / 1e3), nil
	},
	"uuid":    func(*worker, string) (string, error) { return newUUID(), nil },
	"random":  func(_ *worker, text string) (string, error) { return randomBytes(text) },
	"hash":    func(_ *worker, text string) (string, error) { return hashOf(text) },
	"url":     func(_ *worker, text string) (string, error) { return jsurl.Parse(text) },
	"urlset":  func(_ *worker, text string) (string, error) { return jsurl.Set(text) },
	"system":  func(w *worker, _ string) (string, error) { return w.module.engine.system() },
	"cwd":     func(w *worker, _ string) (string, error) { return w.workdir(), nil },
	"size":    (*worker).sizeOf,
	"statNow": func(w *worker, text string) (string, error) { return w.space().stat(text) },
	"unknown": (*worker).unknown,
	"unsupported": func(w *worker, text string) (string, error) {
		return lang.ScriptUnsupported.In(w.module.engine.lang, text), nil
	},
	"unfit":    (*worker).unfit,
	"log":      (*worker).log,
	"uncaught": (*worker).uncaught,
}

// now runs an operation for the script, on the goroutine of the VM.
func (w *worker) now(op, text string) string {
	c := w.current
	switch op {
	case "done":
		if c != nil && !c.settled {
			c.answer, c.settled = text, true
			// The script may run a little longer after its answer.
			c.afterAnswer = time.AfterFunc(graceTime, func() { w.interrupt(c, false) })
		}
		return "+"
	case "cancel", "kill":
		if id, err := strconv.Atoi(text); err == nil && c != nil {
			if op == "cancel" {
				c.forget(id)
			} else if started, ok := c.ops[id]; ok {
				started.killed.Store(true)
				started.cancel()
			}
		}
		return "+"
	}
	run, ok := w.module.engine.api.immediates[op]
	if !ok {
		return "-" + hostFault("TypeError", "", lang.ScriptUnsupported.In(w.module.engine.lang, op))
	}
	answer, err := run(w, text)
	if err != nil {
		return "-" + w.explain(err)
	}
	return "+" + answer
}

// begin starts an operation for the current call.
func (w *worker) begin(id int, op, text string) string {
	if w.current == nil {
		return hostFault("Error", "", lang.ScriptLoadBusy.In(w.module.engine.lang, op))
	}
	return w.current.begin(id, op, text)
}

func (w *worker) workdir() string {
	if w.current != nil {
		return w.current.workdir()
	}
	return absolute(w.module.engine.opts.Workdir)
}

// sizeOf returns the size of a file, or 0 if it does not exist.
func (w *worker) sizeOf(path string) (string, error) {
	info, err := w.space().info(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "0", nil
	case err != nil:
		return "", asFileError(err, path)
	}
	return strconv.FormatInt(info.Size(), 10), nil
}

func (w *worker) unknown(text string) (string, error) {
	label, member, _ := strings.Cut(text, "\n")
	return lang.ScriptUnknown.In(w.module.engine.lang, label+"."+member, jsbuild.NearestMember(label, member)), nil
}

func (w *worker) unfit(text string) (string, error) {
	return unfitText(w.module.engine.lang, text), nil
}

// unfitText describes a value that JSON cannot represent. text has its path, a
// line break and its kind.
func unfitText(l lang.Lang, text string) string {
	at, kind, _ := strings.Cut(text, "\n")
	if kind == "cycle" {
		return lang.ScriptCycle.In(l, at)
	}
	return lang.ScriptUnfit.In(l, at, kind)
}

// logLevel returns the level with a name; other names are Info.
func logLevel(name string) slog.Level {
	var level slog.Level
	if level.UnmarshalText([]byte(name)) != nil {
		return slog.LevelInfo
	}
	return level
}

func cutLine(line string) string { return cutText(line, maxLogLine) }

func cutText(text string, most int) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// log prints a line of a script.
func (w *worker) log(text string) (string, error) {
	level, line, _ := strings.Cut(text, "\n")
	logger, ctx := w.module.engine.opts.Logger, context.Background()
	if c := w.current; c != nil {
		logger, ctx = c.logger(), c.ctx
		if c.lines++; c.lines > maxLogLines {
			if c.lines == maxLogLines+1 {
				logger.Warn(lang.ScriptMoreLines.In(w.module.engine.lang, maxLogLines), "module", w.module.path)
			}
			return "", nil
		}
	}
	logger.Log(ctx, logLevel(level), cutLine(line), "module", w.module.path)
	return "", nil
}

// uncaught logs an exception that the handler's promise does not report.
func (w *worker) uncaught(text string) (string, error) {
	e := parseException(text)
	at, stack := w.module.sourceMap.Stack(e.Stack)
	w.module.engine.opts.Logger.Warn("a callback of a script failed", "module", w.module.path, "error", e.Message, "at", at.String(), "stack", stack)
	return "", nil
}

// system returns what a script may know about the machine.
func (e *Engine) system() (string, error) {
	platforms := map[string]string{"windows": "win32"}
	architectures := map[string]string{"amd64": "x64", "386": "ia32"}
	types := map[string]string{"windows": "Windows_NT", "darwin": "Darwin", "linux": "Linux", "freebsd": "FreeBSD"}
	env := map[string]string{}
	for _, variable := range e.environ() {
		name, value, _ := strings.Cut(variable, "=")
		env[name] = value
	}
	raw, err := json.Marshal(map[string]any{
		"platform": cmp.Or(platforms[runtime.GOOS], runtime.GOOS),
		"arch":     cmp.Or(architectures[runtime.GOARCH], runtime.GOARCH),
		"type":     cmp.Or(types[runtime.GOOS], runtime.GOOS),
		"home":     cmp.Or(env["HOME"], env["USERPROFILE"], "/"),
		"cpus":     runtime.GOMAXPROCS(0),
		"engine":   quickjs.Version(),
		"env":      env,
	})
	return string(raw), err
}

func decodeText(text string) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	return strings.ToValidUTF8(string(raw), string(utf8.RuneError)), err
}

func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

const maxRandom = 1 << 20

func randomBytes(text string) (string, error) {
	size, err := strconv.Atoi(text)
	if err != nil || size < 0 || size > maxRandom {
		return "", fmt.Errorf("random bytes: %s is not between 0 and %d", text, maxRandom)
	}
	raw := make([]byte, size)
	_, _ = rand.Read(raw) // it never fails
	return base64.StdEncoding.EncodeToString(raw), nil
}

func hashOf(text string) (string, error) {
	var args [3]*string
	if err := json.Unmarshal([]byte(text), &args); err != nil || args[0] == nil || args[1] == nil {
		return "", errors.New("hash: bad arguments")
	}
	makers := map[string]func() hash.Hash{"md5": md5.New, "sha1": sha1.New, "sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New}
	maker, ok := makers[*args[0]]
	if !ok {
		return "", fmt.Errorf("hash: %s is not supported", *args[0])
	}
	data, err := base64.StdEncoding.DecodeString(*args[1])
	if err != nil {
		return "", err
	}
	h := maker()
	if args[2] != nil {
		key, err := base64.StdEncoding.DecodeString(*args[2])
		if err != nil {
			return "", err
		}
		h = hmac.New(maker, key)
	}
	_, _ = h.Write(data) // it never fails
	return base64.StdEncoding.EncodeToString(h.Sum(nil)), nil
}

// milliseconds converts a number of a script to a duration.
func milliseconds(text string) time.Duration {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || n <= 0 {
		return 0
	}
	const longest = math.MaxInt32 // the limit of timers in JavaScript
	return time.Duration(min(n, longest) * float64(time.Millisecond))
}
