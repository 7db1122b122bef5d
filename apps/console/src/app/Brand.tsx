import { Group, Stack, Text } from '@mantine/core';
import { useProduct } from '../shared/product.ts';
import { useTexts } from '../shared/texts.ts';
import { appTexts } from './appTexts.ts';
import classes from './Shell.module.css';

/** Logo and name of the service. */
export function Brand() {
  const t = useTexts(appTexts);
  const product = useProduct();
  return (
    <Group gap={10} wrap="nowrap">
      <img src="/logo" width="30" height="30" alt="" />
      <Stack gap={0}>
        <Text component="span" fw={700} lh={1.1}>
          {product}
        </Text>
        <Text component="span" size="xs" className={classes.tagline} lh={1.2}>
          {t('tagline')}
        </Text>
      </Stack>
    </Group>
  );
}
