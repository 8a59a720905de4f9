package policy

// Stage is a check on the way from a name to a call. A tool can be called when
// every stage says yes.
type Stage string

// The stages, in order.
const (
	StageExists  Stage = "exists"
	StageSource  Stage = "source"
	StageConsent Stage = "consent"
	StagePin     Stage = "pin"
	StageEnabled Stage = "enabled"
	StageCatalog Stage = "catalog"
	StageOffer   Stage = "offer"
	StageToken   Stage = "token"
	// StageArguments is there only if the arguments do not fit the tool.
	StageArguments Stage = "arguments"
	StagePolicy    Stage = "policy"
	StageShown     Stage = "shown"
)

// Why says whether a caller can call a tool, and what decided that.
type Why struct {
	Tool      string `json:"tool"`
	Agent     string `json:"agent,omitempty"`
	Principal string `json:"principal,omitempty"`
	// Effect is what happens to the call.
	Effect Effect `json:"effect"`
	// Rule is the rule that decided, as tier/set/name. A stage before the rules
	// that refuses is named by itself.
	Rule string `json:"rule"`
	// Steps are the stages up to the first one that refuses.
	Steps []WhyStep `json:"steps"`
}

// WhyStep is the answer of one stage.
type WhyStep struct {
	Stage Stage `json:"stage"`
	OK    bool  `json:"ok"`
	// Text says what was found.
	Text string `json:"text"`
	// Command changes the answer, or leads to what can be changed.
	Command string `json:"command,omitempty"`
	// Rules are the rules that were tried.
	Rules []Step `json:"rules,omitempty"`
}

// Refused returns the stage that refuses, or the rule that asks, if there is one.
func (w *Why) Refused() (WhyStep, bool) {
	for _, s := range w.Steps {
		if !s.OK || s.Stage == StagePolicy && w.Effect == Ask {
			return s, true
		}
	}
	return WhyStep{}, false
}
