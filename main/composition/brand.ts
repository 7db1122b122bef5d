import { type Brand, brandOf } from '../../api/pages/brand.ts';
import { accentStyle } from '../../infrastructure/config/brandColours.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { readLogo } from '../../infrastructure/config/logoFile.ts';

/** Name and look of the operator's installation. @throws Misconfigured for a logo that cannot be served */
export function composeBrand(config: Config): Brand {
  const { SVC_BRAND_NAME: mn, SVC_BRAND_NAME_EN: en } = config;
  const { SVC_BRAND_ACCENT: light, SVC_BRAND_ACCENT_DARK: dark } = config;
  const logo = readLogo(config);
  return brandOf({
    ...(mn && { mn }),
    ...(en && { en }),
    ...(logo && { logo }),
    ...(light && dark && { style: accentStyle(light, dark) }),
  });
}
