interface Envelope {
  readonly data?: unknown;
}

interface Called<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** What the envelope of the assistant's addresses holds, of any of their answers (contract §12). */
export type Within<Data> = Data extends { readonly data: infer Inner } ? Inner : never;

/** A call to one of the assistant's addresses, its answer taken out of the envelope. */
export async function opened<Data>(call: Promise<Called<Data>>): Promise<Called<Within<Data>>> {
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

/** What `useRead` found at one of the assistant's addresses, its answer taken out of the envelope. */
export function openedSource<Data>({ data, error, isPlaceholderData, refetch }: Read<Data>) {
  return { data: data?.data, error, isPlaceholderData, refetch };
}
