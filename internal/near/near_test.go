package near

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// catalog has the shapes of names that meet in one registry: plain words, tools
// behind a namespace, and Korean.
var catalog = strings.Fields(`
	draw_rect draw_circle draw_line draw_arc set_stroke set_fill set_opacity
	export_scene list_tools list_domains get_tool_schema get_scene undo redo
	github__create_issue github__list_issues github__update_issue github__search_code
	github__create_pull_request github__merge_pull_request
	file-system__read file-system__write file-system__list file-system__delete
	bash__exec slack__post_message mail__send_email mail__search_emails
	calendar__create_event calendar__list_events calendar__delete_event
	weather.get_forecast maps/geocode browser__screenshot parseHTTPHeader
	이미지_생성 이미지_삭제 회의_예약 회의실_조회 텍스트__번역`)

func TestNames(t *testing.T) {
	tests := []struct{ name, want string }{
		// One slip of the finger.
		{"draw_rcet", "draw_rect"},
		{"draw_cicle", "draw_circle"},
		{"set_storke", "set_stroke"},
		{"lst_tools", "list_tools"},
		// Case and separators.
		{"drawrect", "draw_rect"},
		{"DrawRect", "draw_rect"},
		{"draw-rect", "draw_rect"},
		{"draw rect", "draw_rect"},
		{"parse_http_header", "parseHTTPHeader"},
		// Longer and shorter words.
		{"draw_rectangle", "draw_rect"},
		{"drawRectangle", "draw_rect"},
		{"draw_circ", "draw_circle"},
		{"slack__post_msg", "slack__post_message"},
		// Words too many, too few, or in another order.
		{"set_stroke_color", "set_stroke"},
		{"tool_schema", "get_tool_schema"},
		{"scene_export", "export_scene"},
		{"issue_create", "github__create_issue"},
		// Another verb.
		{"remove_event", "calendar__delete_event"},
		{"fetch_tool_schema", "get_tool_schema"},
		{"slack_send_message", "slack__post_message"},
		// Namespace left out, spelled otherwise, wrong, or added.
		{"create_issue", "github__create_issue"},
		{"githubCreateIssue", "github__create_issue"},
		{"github.create_issue", "github__create_issue"},
		{"gitlab__create_issue", "github__create_issue"},
		{"mcp__github__create_issue", "github__create_issue"},
		{"functions.draw_rect", "draw_rect"},
		{"file_read", "file-system__read"},
		{"read_file", "file-system__read"},
		{"bash", "bash__exec"},
		{"get_weather_forecast", "weather.get_forecast"},
		{"geocode", "maps/geocode"},
		// Korean: spacing, a slip within a syllable, the wrong input mode in
		// both directions, decomposed letters, a namespace left out.
		{"이미지생성", "이미지_생성"},
		{"이미지_생썽", "이미지_생성"},
		{"회의_예악", "회의_예약"},
		{"dlalwl_tkrwp", "이미지_삭제"},
		{"ㅇㄱㅁㅈ_ㄱㄷㅊㅅ", "draw_rect"},
		{"\u1112\u116c\u110b\u1174_\u110b\u1168\u110b\u1163\u11a8", "회의_예약"},
		{"번역", "텍스트__번역"},
		// A right name is its own best suggestion.
		{"draw_rect", "draw_rect"},
	}
	for _, tt := range tests {
		got := Names(tt.name, slices.Values(catalog), 3)
		if len(got) == 0 || len(got) > 3 || got[0] != tt.want {
			t.Errorf("Names(%q) = %q, want %q first and at most 3", tt.name, got, tt.want)
		}
	}
}

func TestNamesNone(t *testing.T) {
	for _, name := range []string{
		"xyzzy", "asdfgh", "foo_bar", "lorem_ipsum", "qzjxk__vvwq", "make_coffee", "x",
		"안녕하세요", "커피_주문", "", "___", "::", "🙂", "\xff\xfe", strings.Repeat("zq", 500),
	} {
		if got := Names(name, slices.Values(catalog), 3); got != nil {
			t.Errorf("Names(%q) = %q, want none", name, got)
		}
	}
}

func TestNamesBounds(t *testing.T) {
	if got := Names("draw_rect", nil, 3); got != nil {
		t.Errorf("no sequence: %q", got)
	}
	if got := Names("draw_rect", slices.Values([]string{}), 3); got != nil {
		t.Errorf("no candidates: %q", got)
	}
	if got := Names("draw_rect", slices.Values([]string{"", "_", "\xff"}), 3); got != nil {
		t.Errorf("empty candidates: %q", got)
	}
	for limit, want := range map[int]int{-1: 0, 0: 0, 1: 1, 2: 2, 3: 3, 50: 3} {
		if got := Names("draw", slices.Values(catalog), limit); len(got) != want {
			t.Errorf("limit %d: %q, want %d names", limit, got, want)
		}
	}
	twice := slices.Concat(catalog, catalog, slices.Repeat([]string{"draw_rect"}, 5*listed))
	if got, want := Names("draw_rec", slices.Values(twice), 3), Names("draw_rec", slices.Values(catalog), 3); !slices.Equal(got, want) {
		t.Errorf("duplicates: %q, want %q", got, want)
	}
}

// Names that differ only behind the part that is compared, and names of many
// words, are the bounds of the fixed buffers.
func TestNamesLong(t *testing.T) {
	for _, unit := range []string{"a", "A", "aB", "a_", "a__", "쀍", "é", "日", "\u1100\u1161", "\xff"} {
		long := strings.Repeat(unit, 200)
		got := Names(long+"x", slices.Values([]string{long + "1", long + "2", "draw_rect"}), 3)
		if slices.Contains(got, "draw_rect") {
			t.Errorf("%q repeated: %q", unit, got)
		}
	}
}

// Of names that fold alike, the one spelled as the wrong name comes first.
func TestNamesSpelling(t *testing.T) {
	names := []string{"sendMessage", "send_message", "send-message"}
	for name, want := range map[string]string{"sendMesage": "sendMessage", "send_mesage": "send_message", "send-mesage": "send-message"} {
		if got := Names(name, slices.Values(names), 3); len(got) != 3 || got[0] != want {
			t.Errorf("Names(%q) = %q, want %q first of three", name, got, want)
		}
	}
}

// The answer depends on the set of candidates, not on their order: registries
// keep their tools in maps.
func TestNamesOrder(t *testing.T) {
	set := map[string]bool{}
	for i := range 3000 {
		set[fmt.Sprintf("draw_item_%d", i)] = true // thousands of ties
	}
	for _, name := range catalog {
		set[name] = true
	}
	for _, name := range []string{"draw_itm", "draw_item", "drawRectangle"} {
		want := Names(name, maps.Keys(set), 3)
		if len(want) == 0 {
			t.Errorf("Names(%q) found nothing", name)
		}
		for range 5 {
			if got := Names(name, maps.Keys(set), 3); !slices.Equal(got, want) {
				t.Errorf("Names(%q) = %q, then %q", name, want, got)
			}
		}
	}
}

func TestFold(t *testing.T) {
	tests := []struct {
		name  string
		words string
		local int
	}{
		{"draw_rect", "draw rect", 0},
		{"drawRect", "draw rect", 0},
		{"parseHTTPHeader", "parse http header", 0},
		{"HTTP", "http", 0},
		{"v2Api", "v2 api", 0},
		{"a__b_c", "a b c", 1},
		{"a-b::c.d/e", "a b c d e", 4},
		{"_private", "private", 0},
		{"trailing__", "trailing", 0},
		{"지도_검색", "wleh rjator", 0},
		{"ㅎㅏㄴ", "gks", 0},
		{"", "", 0},
	}
	for _, tt := range tests {
		var f folded
		f.fold(tt.name)
		var words []string
		for i := range f.words {
			words = append(words, string(f.word(i)))
		}
		if got := strings.Join(words, " "); got != tt.words || f.local != tt.local {
			t.Errorf("fold(%q) = %q, local %d; want %q, %d", tt.name, got, f.local, tt.words, tt.local)
		}
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "acb", 1},
		{"abc", "ab", 1}, {"abc", "xabc", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3},
	}
	for _, tt := range tests {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := distance(tt.b, tt.a); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.b, tt.a, got, tt.want)
		}
	}
}

// words are far enough from one another that one edit never makes one of
// another.
var words = strings.Fields(`invoice ticket customer calendar backup printer
	weather garden vehicle playlist database snapshot workflow message
	certificate pipeline 고객정보 영수증발급`)

var verbs = strings.Fields("create delete search update export approve schedule 등록하기 취소하기")

func TestOneEditProperty(t *testing.T) {
	letters := []rune("abcdefghijklmnopqrstuvwxyz0123456789_-AZ가힣")
	var all []string
	for _, w := range words {
		if utf8.RuneCountInString(w) >= 6 { // one slip in less may leave too little
			all = append(all, w)
		}
	}
	for _, v := range verbs {
		for _, w := range words {
			all = append(all, v+"_"+w, "hub__"+v+"_"+w)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		others := rapid.SliceOfN(rapid.SampledFrom(all), 0, 60).Draw(t, "others")
		name := rapid.SampledFrom(all).Draw(t, "name")
		r := []rune(name)
		at := rapid.IntRange(0, len(r)-2).Draw(t, "at")
		letter := rapid.SampledFrom(letters).Draw(t, "letter")
		switch rapid.SampledFrom([]string{"insert", "delete", "replace", "swap"}).Draw(t, "edit") {
		case "insert":
			r = slices.Insert(r, at, letter)
		case "delete":
			r = slices.Delete(r, at, at+1)
		case "replace":
			r[at] = letter
		case "swap":
			r[at], r[at+1] = r[at+1], r[at]
		}
		if got := Names(string(r), slices.Values(append(others, name)), 3); !slices.Contains(got, name) {
			t.Fatalf("Names(%q) = %q, want %q among them", string(r), got, name)
		}
	})
}

func FuzzNames(f *testing.F) {
	for _, seed := range []string{
		"", "draw_rectangle", "githubCreateIssue", "xyzzy", "wleh_rjator", "ㅇㄱㅁㅈ", "__", "a.b/c:d__e",
		"이미지생성", "\xff\xfe_", "ÀÉ日本", strings.Repeat("A_", 90), strings.Repeat("쀍", 60),
	} {
		f.Add(seed, "create_issue")
	}
	f.Fuzz(func(t *testing.T, name, other string) {
		set := append(slices.Clone(catalog), other)
		got := Names(name, slices.Values(set), 3)
		if len(got) > 3 {
			t.Fatalf("%d names", len(got))
		}
		for i, n := range got {
			if !slices.Contains(set, n) || slices.Contains(got[:i], n) {
				t.Fatalf("Names(%q) = %q: %q is no candidate or there twice", name, got, n)
			}
		}
		slices.Reverse(set)
		if again := Names(name, slices.Values(set), 3); !slices.Equal(got, again) {
			t.Fatalf("Names(%q) = %q, in reverse order %q", name, got, again)
		}
		var folds folded
		folds.fold(other)
		if own := Names(other, slices.Values(set), 1); folds.n > 0 && len(other) <= maxInput && !slices.Equal(own, []string{other}) {
			t.Fatalf("Names(%q) = %q, want itself", other, own)
		}
	})
}

func ExampleNames() {
	tools := []string{"draw_rect", "draw_circle", "github__create_issue", "file-system__read", "지도_검색"}
	for _, wrong := range []string{"draw_rectangle", "githubCreateIssue", "file_read", "지도검섹", "xyzzy"} {
		fmt.Println(wrong, Names(wrong, slices.Values(tools), 1))
	}
	// Output:
	// draw_rectangle [draw_rect]
	// githubCreateIssue [github__create_issue]
	// file_read [file-system__read]
	// 지도검섹 [지도_검색]
	// xyzzy []
}

// TestDevelopmentSet scores the package on a set of wrong names that is kept
// beside the repository, because its text belongs to others.
func TestDevelopmentSet(t *testing.T) {
	dir := filepath.Join(repositoryRoot(t), "..", "shared", "toolsearch", "dev", "all")
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		t.Log("no development set beside the repository; nothing to score")
		return
	}
	type tool struct{ Name string }
	type ask struct {
		Suggest, Kind string
		Gold          *string
	}
	var names []string
	for _, x := range readLines[tool](t, filepath.Join(dir, "tools.jsonl")) {
		names = append(names, x.Name)
	}
	var asked, first, found, returned, nonsense, silent int
	for _, x := range readLines[ask](t, filepath.Join(dir, "suggest.jsonl")) {
		got := Names(x.Suggest, slices.Values(names), 3)
		if len(got) > 3 {
			t.Errorf("%d names for one of kind %s", len(got), x.Kind)
		}
		if x.Gold == nil {
			nonsense++
			if len(got) == 0 {
				silent++
			}
			continue
		}
		asked++
		returned += len(got)
		switch at := slices.Index(got, *x.Gold); {
		case at == 0:
			first++
			fallthrough
		case at > 0:
			found++
		}
	}
	if asked == 0 || nonsense == 0 {
		t.Fatalf("the set has %d wrong names and %d without meaning", asked, nonsense)
	}
	hit1, hit3, quiet := percent(first, asked), percent(found, asked), percent(silent, nonsense)
	t.Logf("hit@1 %.2f, hit@3 %.2f, %.2f names returned, %.1f %% of gibberish unanswered (%d and %d names, %d tools)",
		hit1, hit3, float64(returned)/float64(asked), quiet, asked, nonsense, len(names))
	if hit1 < 94 || hit3 < 97 || quiet < 97 {
		t.Error("below the gate of 94, 97 and 97")
	}
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(whole) }

// repositoryRoot walks up to the folder that holds go.mod.
func repositoryRoot(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
}

func readLines[T any](t *testing.T, file string) []T {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var x T
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			t.Fatalf("%s: %v", filepath.Base(file), err)
		}
		all = append(all, x)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func BenchmarkNames(b *testing.B) {
	const size = 100_000
	var short, long []string
	for i := range size {
		v, w := verbs[i%len(verbs)], words[i/len(verbs)%len(words)]
		short = append(short, fmt.Sprintf("hub%d__%s_%s", i/len(verbs)/len(words), v, w))
		long = append(long, strings.Repeat(v+"_", 12)+fmt.Sprint(w, i))
	}
	for _, bench := range []struct {
		title, name string
		names       []string
	}{
		{"typo", "hub7__create_invioce", short},
		{"other words", "makeInvoice", short},
		{"korean", "고객정보등록", short},
		{"gibberish", "xyzzy", short},
		{"long names", strings.Repeat("create_", 12) + "invioce", long},
	} {
		b.Run(bench.title, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Names(bench.name, slices.Values(bench.names), 3)
			}
		})
	}
}
