import { build, type BuildFailure, type BuildOptions, type Message } from 'esbuild'

export interface Bundle {
  code: string
  /** The modules of other packages, and of Node, that it still imports when it starts. */
  imports: string[]
  /** Why there is no bundle. */
  errors: string[]
}

/** Bundles into memory. What cannot be bundled is told, not thrown. */
export async function bundle(options: BuildOptions): Promise<Bundle> {
  try {
    const { outputFiles, metafile } = await build({
      bundle: true,
      format: 'esm',
      logLevel: 'silent',
      legalComments: 'none',
      ...options,
      metafile: true,
      write: false,
    })
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports)
    const atStart = imports.filter(({ external, kind }) => external === true && kind === 'import-statement')
    return {
      code: outputFiles[0]?.text ?? '',
      imports: [...new Set(atStart.map(({ path }) => path))],
      errors: [],
    }
  } catch (error) {
    return { code: '', imports: [], errors: (error as BuildFailure).errors.map(describe) }
  }
}

function describe({ text, location }: Message): string {
  return location === null ? text : `${text} (imported by ${location.file.replace(/^.*node_modules\//, '')})`
}
