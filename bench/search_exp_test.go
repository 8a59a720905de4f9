package main
import ("testing";"time";"slices";"github.com/blevesearch/bleve/v2";"github.com/blevesearch/bleve/v2/index/scorch";"github.com/gongu-ai/gongu/search")
func TestExp(t *testing.T) {
	c, err := newSearchCorpus(searchDir()); if err != nil { t.Fatal(err) }
	docs := c.documents(10000)
	m := bleve.NewIndexMapping()
	a, _ := bleve.NewMemOnly(m)
	b, _ := bleve.NewUsing("", m, scorch.Name, scorch.Name, nil)
	p, _ := bleve.New(t.TempDir()+"/x", m)
	for _, x := range []bleve.Index{a,b,p} {
		bt := x.NewBatch()
		for _, d := range docs { bt.Index(d.tool.Name, map[string]any{"name":d.tool.Name,"description":d.tool.Description,"parameters":d.plain[len(d.tool.Name)+1+len(d.tool.Description):]}) }
		x.Batch(bt)
	}
	lean, _ := newBleve(bleveStandard, docs)
	leans, _ := newBleve(bleveScorch, docs)
	var ix search.Index
	for _, d := range docs { ix.Add(d.tool) }
	run := map[string]func(q string){
		"default mem": func(q string){ a.Search(bleve.NewSearchRequest(bleve.NewMatchQuery(q))) },
		"default scorch": func(q string){ b.Search(bleve.NewSearchRequest(bleve.NewMatchQuery(q))) },
		"default disk": func(q string){ p.Search(bleve.NewSearchRequest(bleve.NewMatchQuery(q))) },
		"lean mem": func(q string){ lean.search(q,10) },
		"lean scorch": func(q string){ leans.search(q,10) },
		"ours": func(q string){ ix.Search(q,10) },
	}
	for set := range 3 {
		ts := map[string][]time.Duration{}
		for r := range 3 { for n, f := range run { for i:=0;i<20;i++ { q := c.queries[(r*20+i)*3+set]; s:=time.Now(); f(q); ts[n]=append(ts[n],time.Since(s)) } } }
		for n, v := range ts { slices.Sort(v); t.Log(searchSets[set], n, v[len(v)/4], v[len(v)/2], v[len(v)-1]) }
	}
}
