import { build as bundle, type Plugin } from 'esbuild'

/** Calls of the language that only answer: a constant may be made with them. */
const PURE = [
  'Object.freeze',
  'Symbol.for',
  'Date.UTC',
  'TextEncoder',
  'TextDecoder',
  'Intl.Segmenter',
  'Intl.Collator',
]

/** `var MAX_BYTES = 4 * 1024 * 1024;`, which esbuild keeps where folding would not make it shorter. */
const ARITHMETIC = /^var \w+ = [\d_ .*+/()-]+;$/gm

/**
 * What a module does by being imported. It is bundled for its effects alone, with every other package left out: of a
 * module that only declares things nothing is left. `"sideEffects": false` is not believed here; `@__PURE__` is.
 */
export async function sideEffectProblems(file: string): Promise<string[]> {
  const { outputFiles } = await bundle({
    stdin: { contents: `import ${JSON.stringify(file)}`, resolveDir: '/' },
    bundle: true,
    platform: 'neutral',
    format: 'esm',
    write: false,
    logLevel: 'silent',
    legalComments: 'none',
    minifySyntax: true,
    pure: PURE,
    plugins: [onlyOwnModules],
  })
  const left = (outputFiles[0]?.text ?? '')
    .replaceAll(/^\/\/.*$/gm, '')
    .replaceAll(ARITHMETIC, '')
    .trim()
  if (left === '') return []
  // Functions are only there because a statement needs them.
  const statements = left
    .split('\n')
    .filter((line) => /^[^\s}]/.test(line) && !/^(async )?(function|class|import) /.test(line))
  return [`importing it does something: ${statements.join('\n').slice(0, 500)}`]
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
