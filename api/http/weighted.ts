/** Alternative a caller accepts, and how much it wants it. */
interface Weighted {
  /** Without parameters, in lower case. */
  readonly value: string;
  /** 0: not at all; 1: most. `NaN` where the caller wrote no number. */
  readonly weight: number;
}

/** Alternatives of `Accept-Encoding` or `Accept-Language`, in the caller's order (RFC 9110 §12.4.2). */
export function weighted(header: string | undefined): readonly Weighted[] {
  return (header ?? '').split(',').map((item) => {
    const [value = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { value, weight: quality === undefined ? 1 : Number(quality) };
  });
}
