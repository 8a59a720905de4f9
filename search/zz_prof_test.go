package search
import ("testing";"fmt")
func BenchmarkDevProf(b *testing.B) {
	dir, _ := developmentSets(b)
	all := readTools(b, dir, "all")
	var x Index
	for i := range 10000 { t := all[i%len(all)]; if i/len(all) > 0 { t.Name = fmt.Sprintf("%s_xq%c", t.Name, 'a'+i/len(all)) }; x.Add(t) }
	var qs []string
	for _, s := range []string{"funcchat_ko","metatool","seal"} { for i, q := range readQueries(b, dir, s) { if i%10==0 { qs = append(qs, q.Query) } } }
	b.Run("q", func(b *testing.B) { for i := 0; b.Loop(); i++ { x.Search(qs[(i*7)%len(qs)], 10) } })
}

func TestZZHash(t *testing.T) {
	dir, _ := developmentSets(t)
	all := readTools(t, dir, "all")
	var x Index
	for i := range 10000 { tl := all[i%len(all)]; if i/len(all) > 0 { tl.Name = fmt.Sprintf("%s_xq%c", tl.Name, 'a'+i/len(all)) }; x.Add(tl) }
	h := uint64(14695981039346656037); n := 0
	for _, s := range []string{"funcchat_ko","metatool","seal"} { for i, q := range readQueries(t, dir, s) { if i%2 > 0 { continue }
		for _, k := range []int{1,3,10,49,50,51,120} { for _, hit := range x.SearchFunc(q.Query, k, func() func(string) bool { if i%4==0 { return nil }; return func(n string) bool { return len(n)%3 != 0 } }()) { n++
			for _, c := range fmt.Sprintf("%s %v;", hit.Name, hit.Score) { h = (h ^ uint64(c)) * 1099511628211 } } } } }
	t.Logf("HASH %x of %d", h, n)
}
