interface PolicyFactory {
  createPolicy(name: string, rules: { readonly createHTML: (text: string) => string }): unknown;
}

/**
 * The one Trusted Types policy: the component library writes style sheets through `innerHTML`, and nothing else may.
 * Text with a tag in it is refused, so no markup is ever made from a string.
 */
function onlyStyleSheets(): void {
  const factory = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;
  factory?.createPolicy('default', {
    createHTML: (text) => {
      if (text.includes('<')) throw new TypeError('Markup is never made from text.');
      return text;
    },
  });
}

onlyStyleSheets();
