package search

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/gongu-ai/gongu"
)

// shop has the shapes of tools that meet in one registry.
var shop = []gongu.Tool{
	{Name: "draw_circle", Description: "Draw a circle around a centre.", Domain: "primitives",
		Parameters: `{"type":"object","properties":{"cx":{"type":"number","description":"X of the centre"},"radius":{"type":"number"}}}`},
	{Name: "draw_line", Description: "Draw a straight line between two points.", Domain: "primitives"},
	{Name: "draw_sofa", Description: "Place a seat for three.", Domain: "furniture"},
	{Name: "setStrokeColor", Description: "Change the colour of the outline.", Domain: "style"},
	{Name: "createGitHubIssue", Description: "Open a ticket in a repository."},
	{Name: "hub__merge_pull_request", Description: "Merge a branch that was reviewed."},
	{Name: "mail__send_email", Description: "Send a message to one or more people.",
		Parameters: `{"type":"object","properties":{"recipients":{"type":"array","items":{"type":"string","description":"An address"}},"attachments":{"type":"array"}}}`},
	{Name: "mail__search_emails", Description: "Look for messages in the inbox."},
	{Name: "get-weather", Title: "Forecast", Description: "How warm and wet the coming days will be.", Keywords: []string{"날씨", "일기 예보"},
		Parameters: `{"type":"object","properties":{"city":{"type":"string"},"unit":{"enum":["celsius","fahrenheit"]}}}`},
	{Name: "quarterly_finance", Description: "Sums of a quarter."},
	{Name: "start_playlist", Description: "Start the music."},
	{Name: "parseHTTPHeader", Description: "Read the header of a reply."},
	{Name: "help", Description: "Explain how all this works."},
	{Name: "convert_mp3", Description: "Convert audio files."},
	{Name: "회의_예약", Description: "회의실을 정해진 시간에 예약합니다.",
		Parameters: `{"type":"object","properties":{"장소":{"type":"string","description":"회의실 이름"},"인원":{"type":"integer"}}}`},
	{Name: "이미지_생성", Description: "설명에 맞는 그림을 만듭니다."},
	{Name: "잔액_조회", Description: "은행 계좌의 잔액을 조회합니다."},
	{Name: "画像検索", Description: "画像を探します。"},
}

func indexOf(tools ...gongu.Tool) *Index {
	x := new(Index)
	x.Add(tools...)
	return x
}

func names(hits []Hit) []string {
	all := []string{}
	for _, hit := range hits {
		all = append(all, hit.Name)
	}
	return all
}

func TestSearch(t *testing.T) {
	x := indexOf(shop...)
	for query, want := range map[string]string{
		// Names in every spelling.
		"draw a circle":                  "draw_circle",
		"the colour of a stroke":         "setStrokeColor",
		"merge my pull requests, please": "hub__merge_pull_request",
		"http header":                    "parseHTTPHeader",
		"weather":                        "get-weather",
		// One word or two.
		"open a github issue":  "createGitHubIssue",
		"GitHub":               "createGitHubIssue",
		"start the play list":  "start_playlist",
		"an MP3 file":          "convert_mp3",
		"search for e mails":   "mail__search_emails",
		"What's the weather's": "get-weather",
		// Forms and families of words.
		"drawing circles":            "draw_circle",
		"sending emails to a person": "mail__send_email",
		"financial results":          "quarterly_finance",
		// Descriptions, titles, domains, parameters and choices.
		"straight":       "draw_line",
		"forecasts":      "get-weather",
		"furniture":      "draw_sofa",
		"attachment":     "mail__send_email",
		"the address of": "mail__send_email",
		"in fahrenheit":  "get-weather",
		// Korean: endings, spacing, letters apart, keywords of English tools.
		"내일 회의실 예약해줘":       "회의_예약",
		"회의예약":              "회의_예약",
		"그림을 하나 만들어줘":       "이미지_생성",
		"계좌에 잔액이 얼마나 남았나요?": "잔액_조회",
		"부산 날씨 알려줘":         "get-weather",
		"일기예보":              "get-weather",
		"인원":                "회의_예약",
		"잔고":                "잔액_조회", // one syllable is better than nothing
		"\u1112\u116c\u110b\u1174 \u110b\u1168\u110b\u1163\u11a8": "회의_예약",
		"ＭＰ３":   "convert_mp3",
		"画像を検索": "画像検索",
		// Words without meaning count when there is nothing else.
		"help":        "help",
		"please help": "help",
	} {
		got := x.Search(query, 3)
		if len(got) == 0 || got[0].Name != want {
			t.Errorf("Search(%q) = %v, want %s first", query, got, want)
		}
	}
}

func TestSearchNone(t *testing.T) {
	x := indexOf(shop...)
	for _, query := range []string{"", " \n", "?!", "zebra", "얼룩말", "of the and", "\xff\xfe", "🙂", strings.Repeat("z", 1<<20)} {
		if got := x.Search(query, 5); len(got) != 0 {
			t.Errorf("Search(%.20q) = %v", query, got)
		}
	}
	if got := new(Index).Search("circle", 5); len(got) != 0 {
		t.Errorf("empty index: %v", got)
	}
}

func TestSearchCounts(t *testing.T) {
	var x Index
	for i := range 200 {
		x.Add(gongu.Tool{Name: fmt.Sprintf("draw_%03d", i)})
	}
	for k, want := range map[int]int{-1: 0, 0: 0, 1: 1, 7: 7, listed: listed, 199: 199, 1 << 40: 200} {
		got := x.Search("draw", k)
		if len(got) != want {
			t.Errorf("k %d: %d hits, want %d", k, len(got), want)
		}
		for i, hit := range got { // all alike, so by name
			if hit.Name != fmt.Sprintf("draw_%03d", i) {
				t.Fatalf("k %d: hit %d is %s", k, i, hit.Name)
			}
		}
	}
}

// A request of several sentences finds the tools of each before others that
// have a word of every sentence.
func TestSearchClauses(t *testing.T) {
	x := indexOf(shop...)
	x.Add(gongu.Tool{Name: "sofa_weather_mail", Description: "Draw and send."})
	got := names(x.Search("Draw a sofa. Then send an email to my sister! How is the weather?", 3))
	for _, want := range []string{"draw_sofa", "mail__send_email"} {
		if !slices.Contains(got, want) {
			t.Errorf("got %q, want %s among them", got, want)
		}
	}
}

// Each part of the formula decides where all others are equal; without it the
// first by name would win.
func TestFormula(t *testing.T) {
	tests := map[string]struct {
		tools       []gongu.Tool
		query, want string
	}{
		"field":  {[]gongu.Tool{{Name: "a", Description: "ruby"}, {Name: "b", Keywords: []string{"ruby"}}}, "ruby", "b"},
		"length": {[]gongu.Tool{{Name: "a", Description: "ruby opal pearl topaz amber onyx"}, {Name: "b", Description: "ruby opal"}}, "ruby", "b"},
		"rarity": {[]gongu.Tool{{Name: "a", Description: "ruby"}, {Name: "b", Description: "opal"}, {Name: "c", Description: "ruby"}}, "ruby opal", "b"},
		"again":  {[]gongu.Tool{{Name: "a", Description: "ruby opal"}, {Name: "b", Description: "ruby ruby"}}, "ruby", "b"},
		"both":   {[]gongu.Tool{{Name: "a", Description: "ruby ruby"}, {Name: "b", Description: "ruby opal"}, {Name: "c", Description: "opal opal"}}, "ruby opal", "b"},
		"clause": {[]gongu.Tool{{Name: "a", Description: "ruby pearl"}, {Name: "b", Description: "ruby opal"}, {Name: "c", Description: "pearl topaz"}, {Name: "d", Description: "opal topaz"}},
			"ruby opal. pearl zebra.", "b"},
		"name": {[]gongu.Tool{{Name: "ruby_opal"}, {Name: "ruby_pearl"}, {Name: "x", Description: "pearl"}, {Name: "y", Description: "pearl"}}, "ruby", "ruby_pearl"},
	}
	for name, tt := range tests {
		if got := indexOf(tt.tools...).Search(tt.query, 4); len(got) == 0 || got[0].Name != tt.want {
			t.Errorf("%s: %v, want %s first", name, got, tt.want)
		}
	}
}

// What follows the last clause that is told apart counts as one with it.
func TestManyClauses(t *testing.T) {
	x := indexOf(gongu.Tool{Name: "a", Description: "ruby pearl"}, gongu.Tool{Name: "b", Description: "opal topaz"}, gongu.Tool{Name: "c", Description: "amber"})
	got := x.Search("Ruby. Pearl. "+strings.Repeat("Amber. ", 2*clauses)+"Opal. Topaz.", 3)
	if len(got) != 3 || got[0].Name != "b" {
		t.Errorf("got %v, want b first", got)
	}
}

// Hits far below the best are no answers.
func TestSearchWeak(t *testing.T) {
	x := indexOf(shop...)
	best := x.Search("회의실 예약", 50)
	for _, hit := range best {
		if hit.Score < weakest*best[0].Score {
			t.Errorf("%v beside %v", hit, best[0])
		}
	}
	if got := names(best); slices.Contains(got, "잔액_조회") {
		t.Errorf("%q: one shared syllable is not enough", got)
	}
}

func TestSearchFunc(t *testing.T) {
	x := indexOf(shop...)
	keep := func(name string) bool { return !strings.HasPrefix(name, "draw_c") }
	for _, query := range []string{"draw", "draw_circle", "draw a circle"} {
		got := names(x.SearchFunc(query, 5, keep))
		if slices.Contains(got, "draw_circle") || !slices.Contains(got, "draw_line") {
			t.Errorf("%q: %q", query, got)
		}
	}
	// A keep that dies leaves an index that works.
	func() {
		defer func() { _ = recover() }()
		x.SearchFunc("draw a circle", 5, func(string) bool { panic("no") })
	}()
	if got := x.Search("draw a circle", 1); len(got) != 1 || got[0].Name != "draw_circle" {
		t.Errorf("after a panic: %v", got)
	}
	x.Add(gongu.Tool{Name: "still_open"}) // and no lock is held
}

func TestReplace(t *testing.T) {
	x := indexOf(gongu.Tool{Name: "a", Description: "apples"}, gongu.Tool{Name: "b", Description: "pears"})
	x.Add(gongu.Tool{Name: "a", Description: "plums"})
	if n := x.Len(); n != 2 {
		t.Errorf("%d tools", n)
	}
	if got := x.Search("apples", 5); len(got) != 0 {
		t.Errorf("old words: %v", got)
	}
	if got := names(x.Search("plums", 5)); !slices.Equal(got, []string{"a"}) {
		t.Errorf("new words: %q", got)
	}
	x.Remove("a", "a", "never")
	if x.Len() != 1 || len(x.Search("plums", 5)) != 0 || len(x.ids) != len(indexOf(gongu.Tool{Name: "b", Description: "pears"}).ids) {
		t.Errorf("after removing: %d tools, %d terms", x.Len(), len(x.ids))
	}
}

func TestNear(t *testing.T) {
	x := indexOf(shop...)
	for wrong, want := range map[string]string{"draw_circel": "draw_circle", "send_email": "mail__send_email", "회의예악": "회의_예약"} {
		if got := x.Near(wrong); len(got) == 0 || len(got) > 3 || got[0] != want {
			t.Errorf("Near(%q) = %q, want %s", wrong, got, want)
		}
	}
	if got := x.Near("xyzzy"); len(got) != 0 {
		t.Errorf("gibberish: %q", got)
	}
}

// A schema can be anything; what can be read of it is found.
func TestSchemas(t *testing.T) {
	deep := func(levels int) string {
		return strings.Repeat(`{"properties":{"level":`, levels) + `{"description":"treasure"}` + strings.Repeat(`}}`, levels)
	}
	for name, tt := range map[string]struct {
		schema string
		found  string
		absent string
	}{
		"nothing":        {``, "", "null"},
		"no object":      {`[1,"treasure",null,{"description":"pearl"}]`, "pearl", "treasure"},
		"number":         {`7`, "", "7"},
		"not JSON":       {`treasure`, "", "treasure"},
		"broken":         {`{"properties":{"pearl":{"description":"ruby"},"treasure":`, "pearl ruby treasure", ""},
		"cut in text":    {`{"properties":{"pearl":{"description":"trea`, "pearl", "trea"},
		"twice":          {`{"description":"pearl","description":"ruby"}`, "pearl ruby", ""},
		"property names": {`{"properties":{"properties":{"type":"object","properties":{"description":{"description":"pearl"}}}}}`, "properties description pearl", ""},
		"odd values":     {`{"properties":[{"properties":{"pearl":7}}],"description":{"title":"x"},"enum":"ruby"}`, "pearl", "ruby x"},
		"branches":       {`{"oneOf":[{"properties":{"pearl":true}}],"$defs":{"x":{"title":"ruby"}},"items":{"anyOf":[{"description":"opal"}]}}`, "pearl ruby opal", ""},
		"values":         {`{"properties":{"pearl":{"default":"ruby","const":"opal","examples":["topaz"],"enum":["amber",3]}}}`, "pearl amber", "ruby opal topaz"},
		"bad UTF-8":      {"{\"description\":\"pearl \xff ruby\"}", "pearl ruby", ""},
		"escapes":        {`{"description":"\ud55c\uae00 pe\u0061rl"}`, "한글 pearl", ""},
		"deep":           {deep(deepest/2 - 1), "treasure level", ""},
		"too deep":       {deep(deepest), "level", "treasure"},
		"far too deep":   {deep(20_000), "level", "treasure"},
		"lists":          {strings.Repeat("[", 50_000), "", "x"},
	} {
		x := indexOf(gongu.Tool{Name: "tool", Parameters: gongu.Schema(tt.schema)}, gongu.Tool{Name: "another"})
		for _, word := range strings.Fields(tt.found) {
			if got := names(x.Search(word, 5)); !slices.Equal(got, []string{"tool"}) {
				t.Errorf("%s: %q finds %q", name, word, got)
			}
		}
		for _, word := range strings.Fields(tt.absent) {
			if got := x.Search(word, 5); len(got) != 0 {
				t.Errorf("%s: %q finds %v", name, word, got)
			}
		}
	}
}

// Hostile tools and queries are read up to a bound.
func TestBounds(t *testing.T) {
	long := strings.Repeat("filler ", longestField/7)
	x := indexOf(
		gongu.Tool{Name: "long", Description: long + " treasure"},
		gongu.Tool{Name: "many", Parameters: gongu.Schema(`{"properties":{"` + long + `":{},"treasure":{}}}`)},
		gongu.Tool{Name: "key", Description: "0" + strings.Repeat("f", 1000)},
		gongu.Tool{Name: "target", Description: "ruby"},
	)
	if got := x.Search("treasure", 5); len(got) != 0 {
		t.Errorf("beyond the bound of a field: %v", got)
	}
	for _, term := range x.terms {
		if len(term.text) > 2*longestWord {
			t.Errorf("a term of %d bytes", len(term.text))
		}
	}
	if got := x.Search(strings.Repeat("zebra ", longestQuery/6+1)+"ruby", 5); len(got) != 0 {
		t.Errorf("beyond the bound of a query: %v", got)
	}
	if got := names(x.Search(strings.Repeat("zebra. ", 2*clauses)+"ruby", 5)); !slices.Equal(got, []string{"target"}) {
		t.Errorf("many clauses: %q", got)
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"draw_rect":             "draw rect",
		"drawRect":              "draw rect",
		"draw-rect":             "draw rect",
		"hub__draw.rect/x":      "hub draw rect x",
		"parseHTTPHeader":       "parse http header",
		"HTTP":                  "http",
		"mp3Player":             "mp3 player",
		"SHA256":                "sha256",
		"don't":                 "dont",
		"the user's cart":       "the user cart",
		"'quoted' O'Brien":      "quoted o brien",
		"회의_예약API":              "회의 예약 api",
		"Größe naïve":           "größe naïve",
		"画像を検索":                 "画像を検索",
		"\u1100\u1161":          "가",
		"ＡＢＣ":                   "abc",
		"a\xffb":                "a b",
		"":                      "",
		strings.Repeat("x", 99): strings.Repeat("x", longestWord),
	} {
		var got []string
		var w words
		for w.reset(text); w.next(); {
			got = append(got, string(w.word))
		}
		if joined := strings.Join(got, " "); joined != want {
			t.Errorf("words of %q: %q, want %q", text, joined, want)
		}
	}
}

func TestClauses(t *testing.T) {
	for text, want := range map[string][]int{
		"one two":              {0, 0},
		"one. two, three":      {0, 1, 2},
		"3.5 a.b":              {0, 0, 0, 0},
		"one\ntwo? three! 네。다": {0, 1, 2, 3, 4},
	} {
		var got []int
		var w words
		for w.reset(text); w.next(); {
			got = append(got, w.clause)
		}
		if !slices.Equal(got, want) {
			t.Errorf("clauses of %q: %v, want %v", text, got, want)
		}
	}
}

func TestStem(t *testing.T) {
	for _, forms := range []string{
		"story stories", "movie movies", "box boxes", "house houses", "plan plans planned planning",
		"draw draws drawing", "create creates created creating", "search searches searched searching",
		"sell selling sells", "class classes", "issue issues",
	} {
		all := strings.Fields(forms)
		want := string(stem([]byte(all[0])))
		for _, form := range all[1:] {
			if got := string(stem([]byte(form))); got != want {
				t.Errorf("stem(%q) = %q, but stem(%q) = %q", form, got, all[0], want)
			}
		}
	}
	for _, word := range []string{"", "s", "is", "bus", "string", "this", "gas", "größen"} {
		if got := string(stem([]byte(word))); got != word {
			t.Errorf("stem(%q) = %q", word, got)
		}
	}
}

// vocabulary is small, so that tools share words and scores tie.
var vocabulary = strings.Fields("draw line circle get list file mail send the of 회의 예약 회의실 그림 a")

func someTools(t *rapid.T, label string) []gongu.Tool {
	some := rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, 6)
	return rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) gongu.Tool {
		return gongu.Tool{
			Name:        strings.Join(some.Draw(t, "name"), "_"),
			Description: strings.Join(some.Draw(t, "description"), " "),
			Keywords:    some.Draw(t, "keywords"),
			Parameters:  gongu.Schema(`{"properties":{"` + strings.Join(some.Draw(t, "parameters"), `":{},"`) + `":{}}}`),
		}
	}), 0, 12, func(tool gongu.Tool) string { return tool.Name }).Draw(t, label)
}

func someQueries(t *rapid.T) []string {
	query := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(append(vocabulary, ".", "xyz")), 1, 8).Draw(t, "words"), " ")
	})
	return rapid.SliceOfN(query, 1, 4).Draw(t, "queries")
}

func sameAnswers(t *rapid.T, a, b *Index, queries []string) {
	if a.Len() != b.Len() || len(a.ids) != len(b.ids) {
		t.Fatalf("%d tools and %d terms, want %d and %d", a.Len(), len(a.ids), b.Len(), len(b.ids))
	}
	for _, q := range queries {
		if x, y := a.Search(q, 20), b.Search(q, 20); !reflect.DeepEqual(x, y) {
			t.Fatalf("Search(%q) = %v, want %v", q, x, y)
		}
	}
}

func TestRemoveProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stay := someTools(t, "stay")
		leave := slices.DeleteFunc(someTools(t, "leave"), func(tool gongu.Tool) bool {
			return slices.ContainsFunc(stay, func(s gongu.Tool) bool { return s.Name == tool.Name })
		})
		var x Index
		x.Add(rapid.Permutation(slices.Concat(stay, leave)).Draw(t, "order")...)
		for _, tool := range leave {
			x.Remove(tool.Name)
		}
		sameAnswers(t, &x, indexOf(stay...), someQueries(t))
	})
}

func TestOrderProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tools := someTools(t, "tools")
		var x Index
		for _, tool := range rapid.Permutation(tools).Draw(t, "order") {
			if rapid.Bool().Draw(t, "before") {
				x.Add(gongu.Tool{Name: tool.Name, Description: "another circle"})
			}
			x.Add(tool)
		}
		sameAnswers(t, &x, indexOf(tools...), someQueries(t))
	})
}

func TestExactNameProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tools := someTools(t, "tools")
		odd := gongu.Tool{Name: rapid.String().Draw(t, "odd")}
		x := indexOf(append(tools, odd)...)
		for _, tool := range append(tools, odd) {
			query := strings.TrimSpace(tool.Name)
			if query == "" || query != tool.Name {
				continue
			}
			got := x.Search(query, 3)
			if len(got) == 0 || got[0].Name != tool.Name {
				t.Fatalf("Search(%q) = %v", tool.Name, got)
			}
		}
	})
}

// Scores fall from hit to hit, no tool comes twice, and fewer hits are the
// beginning of more.
func TestHitsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := indexOf(someTools(t, "tools")...)
		for _, q := range someQueries(t) {
			all := x.Search(q, 100)
			for i, hit := range all {
				if i > 0 && hit.Score > all[i-1].Score || slices.Contains(names(all[:i]), hit.Name) {
					t.Fatalf("Search(%q) = %v", q, all)
				}
			}
			k := rapid.IntRange(1, 10).Draw(t, "k")
			if some := x.Search(q, k); !reflect.DeepEqual(some, all[:min(k, len(all))]) && len(all) > 0 {
				t.Fatalf("Search(%q, %d) = %v, of %v", q, k, some, all)
			}
		}
	})
}

func FuzzIndex(f *testing.F) {
	for _, tool := range shop {
		f.Add(tool.Name, tool.Description, strings.Join(tool.Keywords, ","), string(tool.Parameters), "draw it. 회의실 예약해줘")
	}
	f.Add("_", "'s 's", "", `{"properties":{"":{"enum":[[],{}]}}}`, "'")
	f.Add("\xff", "ss", "é́́", `{"description":"\ud800"}`, "İ ŉ ﷺ")
	f.Add(strings.Repeat("aB", 500), strings.Repeat("가", 500), "", strings.Repeat(`{"a":[`, 200), strings.Repeat("a. ", 300))
	want := names(indexOf(shop...).Search("draw a circle", 5))
	f.Fuzz(func(t *testing.T, name, description, keyword, schema, query string) {
		x := indexOf(shop...)
		tool := gongu.Tool{Name: name, Description: description, Keywords: []string{keyword}, Domain: keyword, Parameters: gongu.Schema(schema)}
		x.Add(tool)
		if got := x.Search(name, 1); strings.TrimSpace(name) == name && name != "" && (len(got) == 0 || got[0].Name != name) {
			t.Fatalf("Search(%q) = %v, want itself", name, got)
		}
		for _, q := range []string{query, description, keyword, schema} {
			hits := x.Search(q, 5)
			if len(hits) > 5 {
				t.Fatalf("%d hits", len(hits))
			}
			x.Near(q)
		}
		x.Remove(name)
		if slices.ContainsFunc(shop, func(s gongu.Tool) bool { return s.Name == name }) {
			return
		}
		if got := names(x.Search("draw a circle", 5)); !slices.Equal(got, want) {
			t.Fatalf("afterwards %q, before %q", got, want)
		}
	})
}

func TestConcurrent(t *testing.T) {
	x := indexOf(shop...)
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range 200 {
				tool := gongu.Tool{Name: fmt.Sprintf("extra_%d_%d", worker, i%7), Description: fmt.Sprintf("Extra words number%d", i)}
				x.Add(tool)
				if got := x.Search("draw a circle", 3); len(got) == 0 || got[0].Name != "draw_circle" {
					t.Errorf("got %v", got)
				}
				x.Near("draw_circel")
				x.Remove(tool.Name)
			}
		})
	}
	wg.Wait()
	if x.Len() != len(shop) {
		t.Errorf("%d tools, want %d", x.Len(), len(shop))
	}
}

func ExampleIndex_Search() {
	var index Index
	index.Add(
		gongu.Tool{Name: "draw_circle", Description: "Draw a circle around a centre."},
		gongu.Tool{Name: "draw_line", Description: "Draw a line between two points."},
		gongu.Tool{Name: "get_weather", Description: "How warm the day will be.", Keywords: []string{"날씨"}},
	)
	for _, query := range []string{"I want circles", "서울 날씨 알려줘"} {
		fmt.Println(index.Search(query, 1)[0].Name)
	}
	fmt.Println(index.Near("draw_circel"))
	// Output:
	// draw_circle
	// get_weather
	// [draw_circle]
}
