/**
 * How the start script writes things down. Pure: values in, text out.
 * @module
 */

/** Writes one line: a label and what about it, or a heading alone. */
export type Tell = (label: string, text?: string) => void

const LABEL_WIDTH = 13
const BAR_WIDTH = 30

/** A labelled line; without a text the label stands alone, as a heading. */
export const field = (label: string, text?: string): string =>
  text === undefined ? label : `  ${label.padEnd(LABEL_WIDTH)}${text}`.trimEnd()

/** What takes a terminal's half-written line away. */
export const clearLine = (): string => '\r\u001b[2K'

/** `1510848` → `1,510,848`. */
export const count = (value: number): string => value.toLocaleString('en-US')

/** `1510848` → `1,510,848 bytes`. */
export const bytes = (value: number): string => `${count(value)} bytes`

/** `1` → `1 tool`, `3` → `3 tools`. */
export const plural = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? '' : 's'}`

/** How much smaller `small` is than `large`; a plain statement where it is not. */
export const ratio = (large: number, small: number): string =>
  small >= large
    ? 'no less'
    : `${count(large / small < 10 ? Math.round((large / small) * 10) / 10 : Math.round(large / small))} times less`

/** `[##########..........]  120 of 360`. */
export const progressBar = (done: number, total: number): string => {
  const full = total === 0 ? BAR_WIDTH : Math.floor((done / total) * BAR_WIDTH)
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_WIDTH - full)}] ${count(done).padStart(count(total).length)} of ${count(total)}`
}

/** The first digits of a digest: enough to recognise it. */
export const shortDigest = (sha256: string): string => `${sha256.slice(0, 12)}…`

/** Text from a server: one line, no control characters, cut. */
export const clean = (text: string, limit = 100): string => {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line
}
