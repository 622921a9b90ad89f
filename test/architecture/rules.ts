/**
 * The layers as data, and the check of them: a function of sources, so that it can be tried on sources that break them.
 * @module
 */

export interface SourceFile {
  /** Relative to the repository, e.g. `src/core/build.ts`. */
  readonly path: string
  readonly text: string
}

/** Packages the build puts into ours, in part: users do not install them. */
export const BUNDLED: readonly string[] = ['@cfworker/json-schema']

/** What each folder of `src` may import: folders, and packages. */
export const LAYERS: Readonly<
  Record<string, { readonly folders: readonly string[]; readonly packages: readonly string[] }>
> = {
  json: { folders: [], packages: [] },
  core: { folders: ['json'], packages: ['valibot'] },
  listing: { folders: ['json'], packages: [] },
  pattern: { folders: [], packages: ['re2js'] },
  provider: { folders: ['json', 'core', 'listing', 'pattern'], packages: ['minisearch'] },
  consumer: { folders: ['json', 'core'], packages: [] },
  validation: { folders: ['json', 'core', 'pattern'], packages: ['@cfworker/json-schema'] },
  proxy: { folders: ['json', 'core', 'listing', 'provider'], packages: ['valibot'] },
  stdio: { folders: ['json', 'proxy'], packages: [] },
}

/** The one layer that may import what only Node has: whoever imports its entry has chosen the runtime. */
export const NODE_LAYER = 'stdio'

const MAX_LINES = 400
const SOFT_LINES = 250
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b[^'"\n;]*(?:\{[^}]*\}[^'"\n;]*)?\bfrom\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s+['"]([^'"]+)['"]/g

/** Every module a source names. */
export const importsOf = (text: string): string[] =>
  [...text.matchAll(IMPORT)].map((match) => (match[1] ?? match[2] ?? match[3]) as string)

/** Everything in `files` that breaks a rule, one line each. */
export function violations(files: readonly SourceFile[]): string[] {
  const found: string[] = []
  for (const { path, text } of files) {
    const folder = path.split('/')[1] as string
    const layer = LAYERS[folder]
    if (layer === undefined) {
      found.push(`${path}: folder is in no layer`)
      continue
    }
    const lines = text.split('\n').length
    if (lines > MAX_LINES) found.push(`${path}: ${lines} lines`)
    if (!/^\/\*\*[\s\S]*?@module/.test(text)) found.push(`${path}: no @module header`)
    if (folder === 'proxy' && /\bJSON\.parse\b/.test(text)) found.push(`${path}: JSON.parse`)
    for (const module of importsOf(text)) {
      if (module.startsWith('.')) {
        const target = new URL(module, `file:///${path}`).pathname.slice(1)
        const [top, other] = target.split('/')
        const allowed =
          top === 'schemas' ? folder === 'core' : other === folder || layer.folders.includes(other as string)
        if (!allowed) found.push(`${path}: imports ${target}`)
        if (top !== 'schemas' && !/\.ts$/.test(module)) found.push(`${path}: imports ${module} without extension`)
      } else if (!layer.packages.includes(module) && !(folder === NODE_LAYER && module.startsWith('node:')))
        found.push(`${path}: imports ${module}`)
    }
  }
  return found
}

/** Files longer than one sitting: allowed up to the bound of `violations`, but each is to be known. */
export const longFiles = (files: readonly SourceFile[]): string[] =>
  files.filter(({ text }) => text.split('\n').length > SOFT_LINES).map(({ path }) => path)

/** Where in `files` something stands that no runtime but Node has, or that a strict page or Worker forbids. */
export function unportable(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    // Strings and comments may name what code may not use.
    const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/gm, '')
    return (
      code.match(
        /\b(?:Buffer|process|require|__dirname|setImmediate|eval|XMLHttpRequest)\b(?!\s*:)|\bnew Function\b/g,
      ) ?? []
    ).map((found) => `${path}: ${found}`)
  })
}

/**
 * Public names of an entry that no docstring explains, or that can be called and have no example. Follows `export *` into
 * `files`.
 */
export function undocumented(files: readonly SourceFile[], index: SourceFile): string[] {
  return publicNames(files, index).filter((name) => {
    const declaration = new RegExp(
      `(/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/)?\\n(?:export )(?:declare )?(?:async )?(function|class|const|interface|type) ${name}\\b([^\\n]*)`,
    )
    const match = files.map(({ text }) => declaration.exec(text)).find((found) => found !== null)
    if (match === undefined || match === null) return true
    const [, comment, kind, rest] = match as unknown as [string, string | undefined, string, string]
    if (comment === undefined) return true
    const isCallable = kind === 'function' || kind === 'class' || (kind === 'const' && /=>|\($/.test(rest))
    return isCallable && !comment.includes('@example')
  })
}

function publicNames(files: readonly SourceFile[], index: SourceFile): string[] {
  const own = [...index.text.matchAll(/export (?:type )?\{([^}]*)\}/g)]
    .flatMap((match) => (match[1] as string).split(','))
    .map((name) => name.trim().replace(/^type /, ''))
    .filter((name) => name !== '')
  const folder = new URL('.', `file:///${index.path}`)
  const starred = [...index.text.matchAll(/export \* from '([^']+)'/g)].flatMap((match) => {
    const path = new URL(match[1] as string, folder).pathname.slice(1)
    const target = files.find((file) => file.path === path)
    return target === undefined ? [`* of ${path}`] : publicNames(files, target)
  })
  return [...own, ...starred]
}
