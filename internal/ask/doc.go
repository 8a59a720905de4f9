// Package ask asks the person at the controlling terminal about approvals, and
// shows approvals as text.
package ask
