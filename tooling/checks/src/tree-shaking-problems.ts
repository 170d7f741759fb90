import { build as bundle, type BuildOptions, type Plugin } from 'esbuild'

/** Calls of the language that only answer: a constant may be made with them. */
const PURE = ['Object.freeze', 'Symbol.for', 'Date.UTC', 'TextEncoder', 'TextDecoder']
/** Constants that a bundler dares not drop, such as an object made from a dependency's, may be this much of it all. */
const MAX_SHARE = 0.1

/**
 * What a bundler would keep of a module of which nothing is used. Other packages are left out. `"sideEffects": false`
 * is not believed here; `@__PURE__` is.
 */
export async function treeShakingProblems(file: string): Promise<string[]> {
  const name = JSON.stringify(file)
  const whole = await bundled(`export * from ${name}`, { minify: true })
  const kept = await bundled(`import ${name}`, { minify: true })
  if (kept.length <= whole.length * MAX_SHARE) return []
  const readable = await bundled(`import ${name}`, { minifySyntax: true })
  // Functions are only there because a statement needs them.
  const statements = readable
    .split('\n')
    .filter((line) => /^[^\s}/]/.test(line) && !/^(async )?(function|import) /.test(line))
  return [
    `of ${whole.length} bytes a bundler keeps ${kept.length} when nothing is used: ${statements.join('\n').slice(0, 500)}`,
  ]
}

async function bundled(contents: string, options: BuildOptions): Promise<string> {
  const { outputFiles } = await bundle({
    stdin: { contents, resolveDir: '/' },
    bundle: true,
    platform: 'neutral',
    format: 'esm',
    write: false,
    logLevel: 'silent',
    legalComments: 'none',
    pure: PURE,
    plugins: [onlyOwnModules],
    ...options,
  })
  return outputFiles?.[0]?.text ?? ''
}

const onlyOwnModules: Plugin = {
  name: 'only-own-modules',
  setup(build) {
    build.onResolve({ filter: /.*/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === 'seen') return undefined
      // What is imported later does nothing now.
      if (from.kind === 'dynamic-import' || !/^[./]/.test(path)) return { path, external: true, sideEffects: false }
      const found = await build.resolve(path, {
        importer: from.importer,
        kind: from.kind,
        resolveDir: from.resolveDir,
        pluginData: 'seen',
      })
      return { path: found.path, errors: found.errors, sideEffects: true }
    })
  },
}
