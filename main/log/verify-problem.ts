/** Codes: verify.line, verify.chain, verify.torn, verify.gap, verify.anchor, verify.erased, verify.blobMissing, verify.blobDamaged, verify.blobUnread. */
export interface VerifyProblem {
  readonly code: string;
  readonly params: Readonly<Record<string, string | number>>;
}
