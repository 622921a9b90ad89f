/**
 * Writes values in the canonical form into one growing buffer.
 * @module
 */

import { MAX_DEPTH, MAX_INTEGER_DIGITS } from './bounds.ts'
import { encoder } from './bytes.ts'
import { compareCodePoints } from './code-points.ts'
import { refuseValue } from './errors.ts'
import { canonicalNumber, canonicalNumberToken, JsonNumber } from './number.ts'

const FIRST_SIZE = 1 << 12
const DEFAULT_MAX_BYTES = 1 << 29
// From here on the native functions beat the loop over characters.
const LONG_STRING = 256
// Insertion sort wins for the few names most schema objects have.
const SMALL_SORT = 16
const HIGH_UNIT = /[\ud800-\uffff]/

/** ESCAPES[byte] = the escape of an ASCII character that cannot stand for itself. */
const ESCAPES: readonly (Uint8Array | undefined)[] = Array.from({ length: 128 }, (_, code) => {
  if (code >= 0x20 && code !== 0x22 && code !== 0x5c) return undefined
  // For these 34 characters JSON.stringify and the original write the same escape.
  return encoder.encode(JSON.stringify(String.fromCharCode(code)).slice(1, -1))
})
const NEEDS_ESCAPE = /["\\\u0000-\u001f]/
const IS_PLAIN = Uint8Array.from(ESCAPES, (escaped) => (escaped === undefined ? 1 : 0))

type Members = Readonly<Record<string, unknown>>

/** One open container: where it is and how far it has been written. */
interface Frame {
  readonly container: Members | readonly unknown[]
  /** Sorted names of an object; undefined for an array. */
  readonly names: readonly string[] | undefined
  readonly length: number
  next: number
}

/**
 * A buffer of canonical JSON. {@link value} and {@link raw} append; {@link bytes} gives what was written.
 * Iterative, so that no nesting can exhaust the stack.
 */
export class CanonicalWriter {
  #buffer = new Uint8Array(FIRST_SIZE)
  #length = 0
  readonly #maxBytes: number
  #frames: Frame[] = []

  /** @param maxBytes most bytes in all, default 512 MiB */
  constructor(maxBytes: number = DEFAULT_MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#length
  }

  /** A view of what was written; valid until the next write. */
  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length)
  }

  /** Appends bytes that are canonical already. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#buffer.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Appends one value. @throws {JsonError} see `canonicalJson` */
  value(root: unknown): void {
    const frames: Frame[] = []
    this.#frames = frames
    let frame = this.#open(root)
    while (frame !== undefined) {
      const index = frame.next
      const { names } = frame
      if (index === frame.length) {
        this.#byte(names === undefined ? 0x5d : 0x7d)
        frames.pop()
        frame = frames[frames.length - 1]
        continue
      }
      frame.next = index + 1
      let value: unknown
      if (names === undefined) {
        if (index > 0) this.#byte(0x2c)
        value = (frame.container as readonly unknown[])[index]
      } else {
        const name = names[index] as string
        this.#name(name, index > 0)
        value = (frame.container as Members)[name]
      }
      if (typeof value === 'string') this.#string(value)
      else frame = this.#open(value) ?? frame
    }
    if (this.#length > this.#maxBytes) this.#refuseSize()
  }

  /** Writes a scalar whole, or the opening of a container, whose frame it returns. */
  #open(value: unknown): Frame | undefined {
    switch (typeof value) {
      case 'object':
        if (value === null) this.#ascii('null')
        // Made anew: a look-alike's text was never checked.
        else if (value instanceof JsonNumber) this.#ascii(this.#token(new JsonNumber(value.text).text))
        else return this.#container(value)
        return undefined
      case 'string':
        this.#string(value)
        return undefined
      case 'number':
        this.#ascii(canonicalNumber(value, this.#path))
        return undefined
      case 'boolean':
        this.#ascii(value ? 'true' : 'false')
        return undefined
      case 'bigint':
        this.#bigint(value)
        return undefined
      default:
        return this.#refuseType(value)
    }
  }

  #container(value: object): Frame {
    if (this.#frames.length >= MAX_DEPTH) this.#refuseDepth(value)
    if (!isPlain(value) || hasHiddenToJson(value)) this.#refuseInstance(value)
    let frame: Frame
    if (Array.isArray(value)) {
      frame = { container: value, names: undefined, length: value.length, next: 0 }
      this.#byte(0x5b)
    } else {
      const names = sortNames(Object.keys(value))
      frame = { container: value as Members, names, length: names.length, next: 0 }
      this.#byte(0x7b)
    }
    this.#frames.push(frame)
    return frame
  }

  #refuseType(value: unknown): never {
    const path = this.#path()
    if (typeof value === 'function' && path.endsWith('/toJSON')) {
      refuseValue('to-json', path, 'an object with a toJSON method stands for another value')
    }
    return refuseValue('unsupported-type', path, `${typeof value} has no JSON text`)
  }

  #refuseInstance(value: object): never {
    if (typeof (value as { toJSON?: unknown }).toJSON === 'function') {
      refuseValue('to-json', this.#path(), 'an object with a toJSON method stands for another value')
    }
    return refuseValue('class-instance', this.#path(), 'neither a plain object nor an array')
  }

  /** Too deep is either a real depth or an endless one; the open containers tell. */
  #refuseDepth(value: object): never {
    const isCycle = this.#frames.some((frame) => frame.container === value)
    const path = this.#path()
    if (isCycle) refuseValue('cycle', path, 'the object is inside itself')
    return refuseValue('depth', path, `more than ${MAX_DEPTH} levels`)
  }

  #token(text: string): string {
    // Decided here, so that the path is only made for a refusal.
    try {
      return canonicalNumberToken(text)
    } catch {
      return canonicalNumberToken(text, this.#path())
    }
  }

  #bigint(value: bigint): void {
    // Ten bits hold at least three digits: huge values are refused before their text is made, which is not linear.
    const text = value.toString(16).length > MAX_INTEGER_DIGITS ? undefined : value.toString()
    const digits = text === undefined ? MAX_INTEGER_DIGITS + 1 : text.length - (value < 0n ? 1 : 0)
    if (text === undefined || digits > MAX_INTEGER_DIGITS) {
      return refuseValue('integer-digits', this.#path(), `an integer of more than ${MAX_INTEGER_DIGITS} digits`)
    }
    this.#ascii(text)
  }

  /** Writes `"name":`, behind a comma where it is not the first. */
  #name(name: string, comma: boolean): void {
    const length = name.length
    if (length > this.#maxBytes) this.#refuseSize()
    this.#reserve(length * 6 + 4)
    const buffer = this.#buffer
    let at = this.#length
    if (comma) buffer[at++] = 0x2c
    at = writeString(buffer, at, name)
    if (at < 0) this.#refuseSurrogate()
    buffer[at++] = 0x3a
    this.#length = at
  }

  #string(text: string): void {
    const length = text.length
    if (length > this.#maxBytes) this.#refuseSize()
    if (length >= LONG_STRING) return this.#longString(text)
    // A UTF-16 unit takes at most six bytes, as an escape; two quotes.
    this.#reserve(length * 6 + 2)
    this.#length = writeString(this.#buffer, this.#length, text)
    if (this.#length < 0) this.#refuseSurrogate()
  }

  /** Native encoding, and native quoting where it is needed: the escapes of well-formed text are the same. */
  #longString(text: string): void {
    if (!text.isWellFormed()) this.#refuseSurrogate()
    const inner = NEEDS_ESCAPE.test(text) ? JSON.stringify(text).slice(1, -1) : text
    this.#reserve(inner.length * 3 + 2)
    this.#buffer[this.#length++] = 0x22
    this.#length += encoder.encodeInto(inner, this.#buffer.subarray(this.#length)).written
    this.#buffer[this.#length++] = 0x22
  }

  #refuseSurrogate(): never {
    return refuseValue('lone-surrogate', this.#path(), 'half of a surrogate pair has no UTF-8')
  }

  #ascii(text: string): void {
    const length = text.length
    this.#reserve(length)
    const buffer = this.#buffer
    let at = this.#length
    for (let index = 0; index < length; index++) buffer[at++] = text.charCodeAt(index)
    this.#length = at
  }

  #byte(byte: number): void {
    this.#reserve(1)
    this.#buffer[this.#length++] = byte
  }

  /** Room for `count` more bytes. Reservations are generous, so the bound is on what is written, checked while writing. */
  #reserve(count: number): void {
    if (this.#length > this.#maxBytes) this.#refuseSize()
    const needed = this.#length + count
    if (needed <= this.#buffer.length) return
    const grown = new Uint8Array(Math.max(needed, this.#buffer.length * 2))
    grown.set(this.bytes())
    this.#buffer = grown
  }

  #refuseSize(): never {
    return refuseValue('too-large', this.#path(), `more than ${this.#maxBytes} bytes`)
  }

  /** JSON Pointer of the member being written. Made for refusals only. */
  readonly #path = (): string =>
    this.#frames
      .map(({ names, next }) => {
        const step = names === undefined ? String(next - 1) : (names[next - 1] as string)
        return `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`
      })
      .join('')
}

/** Writes `text` as a JSON string at `start` and returns the offset behind it, or -1 where it has no UTF-8. */
function writeString(buffer: Uint8Array, start: number, text: string): number {
  const length = text.length
  let at = start
  buffer[at++] = 0x22
  let index = 0
  // ASCII that stands for itself is nearly all there is.
  for (; index < length; index++) {
    const code = text.charCodeAt(index)
    if (code >= 0x80 || IS_PLAIN[code] !== 1) break
    buffer[at++] = code
  }
  if (index < length) at = writeRest(buffer, at, text, index)
  if (at >= 0) buffer[at++] = 0x22
  return at
}

function writeRest(buffer: Uint8Array, start: number, text: string, from: number): number {
  const length = text.length
  let at = start
  for (let index = from; index < length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x80) {
      if (IS_PLAIN[code] === 1) buffer[at++] = code
      else {
        const escaped = ESCAPES[code] as Uint8Array
        for (let byte = 0; byte < escaped.length; byte++) buffer[at++] = escaped[byte] as number
      }
    } else if (code < 0x800) {
      buffer[at++] = 0xc0 | (code >> 6)
      buffer[at++] = 0x80 | (code & 0x3f)
    } else if (code < 0xd800 || code > 0xdfff) {
      buffer[at++] = 0xe0 | (code >> 12)
      buffer[at++] = 0x80 | ((code >> 6) & 0x3f)
      buffer[at++] = 0x80 | (code & 0x3f)
    } else {
      const low = text.charCodeAt(++index)
      if (code > 0xdbff || !(low >= 0xdc00 && low <= 0xdfff)) return -1
      const point = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
      buffer[at++] = 0xf0 | (point >> 18)
      buffer[at++] = 0x80 | ((point >> 12) & 0x3f)
      buffer[at++] = 0x80 | ((point >> 6) & 0x3f)
      buffer[at++] = 0x80 | (point & 0x3f)
    }
  }
  return at
}

/** Plain in any realm: an object of `Object.prototype` or of none, an array of `Array.prototype`. */
function isPlain(value: object): boolean {
  let prototype: object | null = Object.getPrototypeOf(value)
  if (Array.isArray(value)) {
    if (!Array.isArray(prototype)) return false
    prototype = Object.getPrototypeOf(prototype) as object
  }
  if (prototype === null || prototype === Object.prototype) return true
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')
}

/** A `toJSON` that is written as a member is refused there. */
const hasHiddenToJson = (value: object): boolean =>
  'toJSON' in value &&
  typeof value.toJSON === 'function' &&
  (Array.isArray(value) || !Object.keys(value).includes('toJSON'))

function sortNames(names: string[]): string[] {
  const count = names.length
  if (count > SMALL_SORT) {
    // Without such units UTF-16 order, the native one, is code-point order.
    return names.some((name) => HIGH_UNIT.test(name)) ? names.sort(compareCodePoints) : names.sort()
  }
  for (let index = 1; index < count; index++) {
    const name = names[index] as string
    let to = index - 1
    while (to >= 0 && compareCodePoints(names[to] as string, name) > 0) {
      names[to + 1] = names[to] as string
      to--
    }
    names[to + 1] = name
  }
  return names
}
