interface PolicyFactory {
  createPolicy(name: string, rules: { readonly createHTML: (text: string) => string }): unknown;
}

/**
 * Trusted Types policy: the component library writes style sheets through `innerHTML`, and nothing
 * else may. Text that contains a tag is refused, so no markup is made from a string.
 */
function onlyStyleSheets(): void {
  const factory = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;
  factory?.createPolicy('default', {
    createHTML: (text) => {
      if (text.includes('<'))
        throw new TypeError(
          'Trusted Types: text with markup is refused; only style sheets may be assigned.',
        );
      return text;
    },
  });
}

onlyStyleSheets();
