import type { ToolOutput } from '@keepsake/core'

const MARK = { keepsake: { untrusted: true } }

/** The result of a call that said of itself that it comes from outside; stored with the result, it holds in later runs. */
export function markedUntrusted(output: ToolOutput): ToolOutput {
  return { ...output, providerOptions: { ...output.providerOptions, ...MARK } }
}

export function isMarkedUntrusted({ providerOptions }: ToolOutput): boolean {
  return providerOptions?.['keepsake']?.['untrusted'] === true
}
