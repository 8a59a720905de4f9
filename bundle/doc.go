// Package bundle reads bundles: folders of YAML resources that say which tools,
// agents, servers and policies there are. It is data only. Nothing of a bundle
// is run, and nothing outside its folder is read except installed packages.
//
// [Load] reports every problem it finds, not only the first, each with a code,
// a place and a way out. A bundle with an error is refused as a whole.
//
// The Go types of the kinds are the one source of truth. Their struct tags say
// which fields are required and what they mean; the checks of a bundle, the
// suggestions for misspelled fields and the JSON Schemas in the folder schema
// all come from them.
package bundle
