/**
 * What the upstream refuses, on its way to the caller.
 * @module
 */

/** The upstream's own refusal, to be given to the caller instead of an answer of ours. REQ-P-33, REQ-P-04. */
export class UpstreamRefusal extends Error {
  override readonly name = 'UpstreamRefusal'
  readonly response: Response
  /** Its JSON-RPC error with the caller's id, where it is one. */
  readonly answer: Uint8Array | undefined

  constructor(response: Response, answer: Uint8Array | undefined) {
    super(`Upstream refused with ${response.status}`)
    this.response = response
    this.answer = answer
  }
}
