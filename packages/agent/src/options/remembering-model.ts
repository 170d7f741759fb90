import type { LanguageModelV4 } from '@ai-sdk/provider'

type SupportedUrls = LanguageModelV4['supportedUrls']

/** The same symbol in every copy of this package: the model may have been wrapped by another one. */
function marker(): symbol {
  return Symbol.for('keepsake.remembering')
}

/**
 * The URLs that a model supports, marked: the model stores its own conversations. Of all that a wrapped model has, ai's
 * `wrapLanguageModel` hands on this alone as the object that it is, also when it wraps the model once more.
 */
export function markRemembering(urls: SupportedUrls): SupportedUrls {
  const marked: SupportedUrls = isPromise(urls)
    ? // oxlint-disable-next-line unicorn/no-thenable -- a promise made here would fail unheard where nobody asks
      { then: (fulfilled, rejected) => urls.then(fulfilled, rejected) }
    : { ...urls }
  return Object.defineProperty(marked, marker(), { value: true })
}

/** Whether the model stores its own conversations. */
export function isRemembering(model: LanguageModelV4): boolean {
  const urls = model.supportedUrls as unknown
  return typeof urls === 'object' && urls !== null && marker() in urls
}

/** Models are not type-checked: some have none. */
function isPromise(urls: SupportedUrls | undefined): urls is PromiseLike<Record<string, RegExp[]>> {
  return typeof urls?.['then'] === 'function'
}
