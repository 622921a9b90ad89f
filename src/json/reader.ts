/**
 * One forward-only reader over UTF-8 JSON bytes. Skipping, slicing, strings and lossless values are walks of it.
 * @module
 */

import { MAX_DEPTH } from './bounds.ts'
import {
  ARRAY_END,
  ARRAY_START,
  asciiText,
  BACKSLASH,
  COLON,
  COMMA,
  decodeUtf8,
  isDigit,
  MINUS,
  OBJECT_END,
  OBJECT_START,
  QUOTE,
} from './bytes.ts'
import { refuseText } from './errors.ts'
import { numberFromToken } from './number.ts'
import { escapeLength, literalEnd, numberEnd } from './tokens.ts'

/** A byte range: `start` inclusive, `end` exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The kinds of JSON value. */
export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'

/** A plain JSON object without a prototype: every name it holds is its own, `__proto__` included. */
export type JsonMembers = { [name: string]: unknown }

type Container = JsonMembers | unknown[]

// Most tokens are short ASCII; a decoder call costs more than this many appended characters.
const SHORT_TOKEN = 24
const NON_ASCII = /[\u0080-\u00ff]/

/**
 * Reads JSON forward, byte by byte, without ever building what it only passes. Every method takes exactly one value (or one
 * level of one) and leaves the reader behind it. Iterative, at most 960 levels deep, linear in time; memory is the depth.
 *
 * The bytes are read in place: do not change them while the reader is in use. UTF-8 is checked where text is taken
 * ({@link string}, {@link value}, names), not in ranges that are only passed.
 *
 * @throws {JsonError} `syntax`, `truncated`, `depth`, `utf8`, `lone-surrogate`, `duplicate-name`, `integer-digits`, `type`
 *
 * @example
 * ```ts
 * const reader = new JsonReader(new TextEncoder().encode('{"tools":[{"name":"a"}]}'))
 * reader.object((name) => {
 *   const { start, end } = reader.span() // the bytes of the member's value, untouched
 * })
 * reader.end()
 * ```
 */
export class JsonReader {
  readonly bytes: Uint8Array
  /** Offset of the next byte to read. */
  position: number
  readonly #end: number
  #escaped = false

  /** @param start first byte to read, default 0  @param end where the text ends (exclusive), default the end of `bytes` */
  constructor(bytes: Uint8Array, start = 0, end: number = bytes?.length) {
    if (!(bytes instanceof Uint8Array)) refuseText('type', 0, 'expected bytes')
    if (!(Number.isInteger(start) && start >= 0 && end <= bytes.length))
      refuseText('type', 0, 'expected a range of them')
    this.bytes = bytes
    this.position = start
    this.#end = end
  }

  /** The kind of the next value. Passes white space only. */
  kind(): JsonKind {
    const byte = this.#next()
    if (byte === OBJECT_START) return 'object'
    if (byte === ARRAY_START) return 'array'
    if (byte === QUOTE) return 'string'
    if (byte === MINUS || isDigit(byte)) return 'number'
    if (byte === 0x74 || byte === 0x66) return 'boolean'
    if (byte === 0x6e) return 'null'
    return refuseText('syntax', this.position, 'expected a value')
  }

  /** Passes one value, checking the grammar (not names for duplicates, not UTF-8), and returns its byte range. */
  span(): Span {
    const kinds = new Uint8Array(MAX_DEPTH + 1)
    this.#next()
    const start = this.position
    let depth = 0
    for (;;) {
      const byte = this.#next()
      if (byte === OBJECT_START || byte === ARRAY_START) {
        depth = this.#deeper(depth)
        kinds[depth] = byte
        this.position++
        if (this.#next() === byte + 2) {
          this.position++
          depth--
        } else {
          if (byte === OBJECT_START) this.#passName()
          continue
        }
      } else this.#passScalar(byte)
      for (;;) {
        if (depth === 0) return { start, end: this.position }
        const separator = this.#next()
        this.position++
        const kind = kinds[depth] as number
        if (separator === COMMA) {
          if (kind === OBJECT_START) this.#passName()
          break
        }
        if (separator !== kind + 2)
          refuseText('syntax', this.position - 1, 'expected a comma or the end of the container')
        depth--
      }
    }
  }

  /** The text of one string value. */
  string(): string {
    if (this.#next() !== QUOTE) refuseText('type', this.position, 'expected a string')
    return this.#takeString()
  }

  /**
   * One value without loss: a number where that is exact, else a `JsonNumber`; objects have no prototype; a repeated name is
   * refused at every level.
   */
  value(): unknown {
    const containers: Container[] = []
    const names: string[] = []
    let container: Container | undefined
    let name = ''
    for (;;) {
      const byte = this.#next()
      let value: unknown
      if (byte === OBJECT_START || byte === ARRAY_START) {
        this.#deeper(containers.length + (container === undefined ? 0 : 1))
        const opened: Container = byte === OBJECT_START ? (Object.create(null) as JsonMembers) : []
        this.position++
        if (this.#next() === byte + 2) {
          this.position++
          value = opened
        } else {
          if (container !== undefined) {
            containers.push(container)
            names.push(name)
          }
          container = opened
          if (byte === OBJECT_START) name = this.#newName(opened as JsonMembers)
          continue
        }
      } else value = this.#takeScalar(byte)
      for (;;) {
        if (container === undefined) return value
        const isArray = Array.isArray(container)
        if (isArray) (container as unknown[]).push(value)
        else (container as JsonMembers)[name] = value
        const separator = this.#next()
        this.position++
        if (separator === COMMA) {
          if (!isArray) name = this.#newName(container as JsonMembers)
          break
        }
        if (separator !== (isArray ? ARRAY_END : OBJECT_END)) {
          refuseText('syntax', this.position - 1, 'expected a comma or the end of the container')
        }
        value = container
        container = containers.pop()
        name = names.pop() ?? ''
      }
    }
  }

  /**
   * Visits the members of one object in source order. `visit` must take exactly one value from the reader. A name that
   * occurs twice in this object is refused; deeper levels are what `visit` makes of them.
   */
  object(visit: (name: string, reader: JsonReader) => void): void {
    if (this.#next() !== OBJECT_START) refuseText('type', this.position, 'expected an object')
    this.position++
    if (this.#next() === OBJECT_END) {
      this.position++
      return
    }
    const seen = new Set<string>()
    for (;;) {
      const at = this.position
      const name = this.#takeName()
      if (seen.has(name)) refuseText('duplicate-name', at, 'an object holds this name twice')
      seen.add(name)
      const start = this.position
      visit(name, this)
      if (this.position === start) refuseText('syntax', start, 'a visit took no value')
      const separator = this.#next()
      this.position++
      if (separator === OBJECT_END) return
      if (separator !== COMMA) refuseText('syntax', this.position - 1, 'expected a comma or the end of the container')
    }
  }

  /** Visits the elements of one array. `visit` must take exactly one value from the reader. */
  array(visit: (index: number, reader: JsonReader) => void): void {
    if (this.#next() !== ARRAY_START) refuseText('type', this.position, 'expected an array')
    this.position++
    if (this.#next() === ARRAY_END) {
      this.position++
      return
    }
    for (let index = 0; ; index++) {
      const start = this.position
      visit(index, this)
      if (this.position === start) refuseText('syntax', start, 'a visit took no value')
      const separator = this.#next()
      this.position++
      if (separator === ARRAY_END) return
      if (separator !== COMMA) refuseText('syntax', this.position - 1, 'expected a comma or the end of the container')
    }
  }

  /** Demands that nothing but white space follows. */
  end(): void {
    const { bytes } = this
    while (this.position < this.#end) {
      const byte = bytes[this.position]
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) {
        refuseText('syntax', this.position, 'expected nothing after the value')
      }
      this.position++
    }
  }

  /** Passes white space and returns the byte behind it. */
  #next(): number {
    const { bytes } = this
    let at = this.position
    let byte = bytes[at] as number
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++at] as number
    this.position = at
    if (at >= this.#end) refuseText('truncated', this.#end, 'the text ends here')
    return byte
  }

  #deeper(depth: number): number {
    if (depth >= MAX_DEPTH) refuseText('depth', this.position, `more than ${MAX_DEPTH} levels`)
    return depth + 1
  }

  #passName(): void {
    if (this.#next() !== QUOTE) refuseText('syntax', this.position, 'expected a name')
    this.#passString()
    if (this.#next() !== COLON) refuseText('syntax', this.position, 'expected a colon')
    this.position++
  }

  #takeName(): string {
    if (this.#next() !== QUOTE) refuseText('syntax', this.position, 'expected a name')
    const name = this.#takeString()
    if (this.#next() !== COLON) refuseText('syntax', this.position, 'expected a colon')
    this.position++
    return name
  }

  #newName(object: JsonMembers): string {
    const at = this.position
    const name = this.#takeName()
    if (name in object) refuseText('duplicate-name', at, 'an object holds this name twice')
    // Reserved at once, so that a name repeated before its value is complete is found too.
    object[name] = undefined
    return name
  }

  #passScalar(byte: number): void {
    if (byte === QUOTE) this.#passString()
    else if (byte === MINUS || isDigit(byte)) this.#passNumber()
    else this.#literal(byte)
  }

  #takeScalar(byte: number): unknown {
    if (byte === QUOTE) return this.#takeString()
    if (byte === MINUS || isDigit(byte)) {
      const start = this.position
      this.#passNumber()
      return numberFromToken(asciiText(this.bytes, start, this.position))
    }
    return this.#literal(byte)
  }

  #passString(): void {
    const { bytes } = this
    const end = this.#end
    let at = this.position + 1
    let escaped = false
    for (;;) {
      const byte = bytes[at] as number
      if (at >= end) refuseText('truncated', end, 'the text ends here')
      if (byte === QUOTE) break
      if (byte < 0x20) refuseText('syntax', at, 'a control character inside a string')
      if (byte === BACKSLASH) {
        escaped = true
        at += escapeLength(bytes, at, end)
      } else at++
    }
    this.position = at + 1
    this.#escaped = escaped
  }

  #takeString(): string {
    const start = this.position
    this.#passString()
    const end = this.position
    if (this.#escaped) {
      // The token has passed the grammar, so the native parser only has to undo the escapes.
      const text = JSON.parse(this.#decode(start, end)) as string
      return text.isWellFormed() ? text : refuseText('lone-surrogate', start, 'half of a surrogate pair has no UTF-8')
    }
    if (end - start < SHORT_TOKEN) {
      const text = asciiText(this.bytes, start + 1, end - 1)
      if (!NON_ASCII.test(text)) return text
    }
    return this.#decode(start + 1, end - 1)
  }

  #decode(start: number, end: number): string {
    try {
      return decodeUtf8(this.bytes.subarray(start, end))
    } catch {
      return refuseText('utf8', start, 'a string that is not UTF-8')
    }
  }

  #passNumber(): void {
    this.position = numberEnd(this.bytes, this.position, this.#end)
  }

  #literal(first: number): boolean | null {
    this.position = literalEnd(this.bytes, this.position, this.#end)
    return first === 0x74 ? true : first === 0x66 ? false : null
  }
}
