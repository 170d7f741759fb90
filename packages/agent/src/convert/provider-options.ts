import type { SharedV4ProviderMetadata, SharedV4ProviderOptions } from '@ai-sdk/provider'

/** `providerOptions` of a part or message, to be spread: nothing where there are none. */
export function providerOptions(part: { providerOptions?: SharedV4ProviderOptions | undefined }): {
  providerOptions?: SharedV4ProviderOptions
} {
  return part.providerOptions === undefined ? {} : { providerOptions: part.providerOptions }
}

/** What a provider said about its answer goes back to it as options: that is how signatures and item ids survive. */
export function fromMetadata(part: { providerMetadata?: SharedV4ProviderMetadata | undefined }): {
  providerOptions?: SharedV4ProviderOptions
} {
  return part.providerMetadata === undefined ? {} : { providerOptions: part.providerMetadata }
}
