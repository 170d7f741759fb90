import type { BuildOptions, Plugin } from 'esbuild'
import { bundle } from './bundle.ts'

/** Calls of the language that only answer: a constant may be made with them. */
const PURE = ['Object.freeze', 'Symbol.for', 'Date.UTC', 'TextEncoder', 'TextDecoder']
/** Constants that a bundler dares not drop, such as an object made from a dependency's, may be this much of it all. */
const MAX_SHARE = 0.1

/**
 * What a bundler would keep of a module of which nothing is used. Other packages are left out. `"sideEffects": false`
 * is not believed here; `@__PURE__` is. A module that cannot be bundled has other problems than this.
 */
export async function treeShakingProblems(file: string): Promise<string[]> {
  const name = JSON.stringify(file)
  const whole = await ownCode(`export * from ${name}`, { minify: true })
  const kept = await ownCode(`import ${name}`, { minify: true })
  if (kept.length <= whole.length * MAX_SHARE) return []
  const readable = await ownCode(`import ${name}`, { minifySyntax: true })
  const statements = readable.split('\n').filter(isStatement).join('\n').slice(0, 500)
  return [`of ${whole.length} bytes a bundler keeps ${kept.length} when nothing is used: ${statements}`]
}

/** Functions are only there because a statement needs them. */
function isStatement(line: string): boolean {
  return /^[^\s}/]/.test(line) && !/^(async )?(function|import) /.test(line)
}

async function ownCode(contents: string, options: BuildOptions): Promise<string> {
  const stdin = { contents, resolveDir: '/' }
  const { code } = await bundle({ ...options, stdin, platform: 'neutral', pure: PURE, plugins: [onlyOwnModules] })
  return code
}

const onlyOwnModules: Plugin = {
  name: 'only-own-modules',
  setup(build) {
    build.onResolve({ filter: /.*/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === 'seen') return undefined
      // What is imported later does nothing now.
      if (from.kind === 'dynamic-import' || !/^[./]/.test(path)) return { path, external: true, sideEffects: false }
      const { importer, kind, resolveDir } = from
      const found = await build.resolve(path, { importer, kind, resolveDir, pluginData: 'seen' })
      return { path: found.path, errors: found.errors, sideEffects: true }
    })
  },
}
