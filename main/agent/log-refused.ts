/** Thrown inside a run when its log refuses a fact: the run cannot go on, and its partner deals with the log. */
export class LogRefused extends Error {}
