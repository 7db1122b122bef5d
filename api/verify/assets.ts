import type { Route } from '../http/route.ts';
import { assetRoute, builtAsset } from '../pages/assets.ts';

export const assets = {
  style: builtAsset('verify.css'),
  script: builtAsset('verify.js'),
} as const;

/** The page's own files. */
export function assetRoutes(): readonly Route[] {
  const { style, script } = assets;
  const base = '/verify/assets';
  return [
    assetRoute('verifyStyle', 'Get the style sheet of the verification page', base, style),
    assetRoute('verifyScript', 'Get the script of the verification page', base, script),
  ];
}
