import { useParams } from '@tanstack/react-router';

/**
 * Decoded path parameters of the page.
 *
 * ```ts
 * const { id } = usePathParams('id'); // of a page at `/relying-parties/$id`
 * ```
 */
export function usePathParams<const Name extends string>(
  ...names: readonly Name[]
): Readonly<Record<Name, string>> {
  const params: Readonly<Record<string, unknown>> = useParams({ strict: false });
  const steps = names.map((name) => [name, (params[name] as string | undefined) ?? '']);
  return Object.fromEntries(steps) as Record<Name, string>;
}
