interface Envelope {
  readonly data?: unknown;
}

interface Called<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** Data inside the envelope of the assistant's responses (contract §12). */
export type Within<Data> = Data extends { readonly data: infer Inner } ? Inner : never;

/** Unwraps the envelope of an assistant's response. */
export async function unwrapped<Data>(call: Promise<Called<Data>>): Promise<Called<Within<Data>>> {
  const { data, ...rest } = await call;
  const inner = (data as Envelope | undefined)?.data as Within<Data> | undefined;
  return inner === undefined ? rest : { ...rest, data: inner };
}

interface Read<Data> {
  readonly data: { readonly data: Data } | undefined;
  readonly error: unknown;
  readonly isPlaceholderData: boolean;
  readonly refetch: () => unknown;
}

/** Unwraps the envelope of a {@link useRead} result. */
export function unwrappedSource<Data>({ data, error, isPlaceholderData, refetch }: Read<Data>) {
  return { data: data?.data, error, isPlaceholderData, refetch };
}
