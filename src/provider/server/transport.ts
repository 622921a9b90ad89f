/**
 * A transport between a server and its real transport: the same object to the server, but for the messages.
 * @module
 */

import type { Message, RequestMessage } from './messages.ts'

/** What comes with a message: who sent it, over which HTTP request. Handed on by reference, never looked into here. */
export type MessageExtra = unknown

export type OnMessage = (message: Message, extra?: MessageExtra) => void

/** What a transport is told about a message it is to send. */
export interface SendOptions {
  readonly relatedRequestId?: string | number | undefined
}

/** The part of the SDK's `Transport`, v1 and v2, that is used here. */
export interface MessageTransport {
  onmessage?: OnMessage | undefined
  onerror?: ((error: Error) => void) | undefined
  onclose?: (() => void) | undefined
  send(message: Message, options?: SendOptions): Promise<void>
}

/** Says whether a request needs more scopes than its sender has. SDK v2 hands it to transports that ask for it. */
export type ScopeResolver = (context: {
  readonly request: RequestMessage
  readonly authInfo?: unknown
}) => ScopeChallenge | undefined | Promise<ScopeChallenge | undefined>

export interface ScopeChallenge {
  readonly scopes: readonly string[]
}

/** Who stands between. */
export interface Interposer {
  /** Every message of the client. */
  receive: OnMessage
  /** Every message of the server. */
  send(message: Message, options?: SendOptions): Promise<void>
  /** The server is ready for messages: this is how it takes them. */
  connected(dispatch: OnMessage): void
  /** The connection is gone. */
  closed(): void
  /** The server's own judge of scopes, where it has one. */
  judge(resolver: ScopeResolver): void
}

const SCOPE_MEMBER = 'setScopeChallengeResolver'

/**
 * The transport that the server is given in place of `target`. A `Proxy`, so that a server that looks at its transport – its class,
 * its session id, whatever a newer SDK adds – sees the real one.
 */
export function interpose(target: MessageTransport, interposer: Interposer): MessageTransport {
  // Whoever listens already is to hear what the client said, not what is made of it.
  const listener = target.onmessage
  let dispatch: OnMessage | undefined
  return new Proxy(target, {
    get(_, name) {
      if (name === 'send') return interposer.send
      if (name === 'onmessage') return dispatch
      if (name === SCOPE_MEMBER) return setResolver
      const value: unknown = Reflect.get(target, name, target)
      // Methods stay the target's: one with private fields knows only itself.
      const isMethod = typeof value === 'function' && name !== 'constructor' && !Object.hasOwn(target, name)
      return isMethod ? value.bind(target) : value
    },
    set(_, name, value) {
      if (name === 'onclose') {
        target.onclose = () => {
          interposer.closed()
          value?.()
        }
        return true
      }
      if (name !== 'onmessage') return Reflect.set(target, name, value, target)
      dispatch = value
      interposer.connected(dispatch ?? (() => {}))
      target.onmessage = (message, extra) => {
        listener?.call(target, message, extra)
        interposer.receive(message, extra)
      }
      return true
    },
    has: (_, name) => name === SCOPE_MEMBER || Reflect.has(target, name),
  })

  function setResolver(resolver: ScopeResolver): void {
    interposer.judge(resolver)
    const set: unknown = Reflect.get(target, SCOPE_MEMBER, target)
    if (typeof set === 'function') set.call(target, resolver)
  }
}
