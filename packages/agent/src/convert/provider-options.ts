import type { SharedV4ProviderMetadata, SharedV4ProviderOptions } from '@ai-sdk/provider'
import { asJson, asStored } from './as-stored.ts'

/** `providerOptions` of a part or message, to be spread: nothing where there are none. */
export function providerOptions(part: { providerOptions?: SharedV4ProviderOptions | undefined }): {
  providerOptions?: SharedV4ProviderOptions
} {
  return part.providerOptions === undefined ? {} : { providerOptions: part.providerOptions }
}

/**
 * What a provider said about its answer goes back to it as options: that is how signatures and item ids survive. Here it
 * becomes JSON, as on its way to the provider. What has no JSON is left out: an answer is not lost for a note on it.
 */
export function fromMetadata(part: { providerMetadata?: SharedV4ProviderMetadata | undefined }): {
  providerOptions?: SharedV4ProviderOptions
} {
  if (part.providerMetadata === undefined) return {}
  try {
    const options = asStored({ providerOptions: asJson(part.providerMetadata) }) as {
      providerOptions: SharedV4ProviderOptions
    }
    return Object.prototype.toString.call(options.providerOptions) === '[object Object]' ? options : {}
  } catch {
    return {}
  }
}
