import { common } from '../../../../api/pages/commonWords.ts';
import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconLanguage, IconMoon, IconSun } from '@tabler/icons-react';
import { chooseLanguage, languages, useLanguage, useTexts } from '../shared/texts.ts';
import { appTexts } from './appTexts.ts';

const names = { mn: common.mn.languageName, en: common.en.languageName };
const schemes = { light: IconSun, dark: IconMoon, auto: IconDeviceDesktop } as const;

export function LanguageSwitch() {
  const t = useTexts(appTexts);
  const language = useLanguage();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('language')}>
          <IconLanguage size={20} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {languages.map((each) => (
          <Menu.Item
            key={each}
            lang={each}
            aria-current={each === language}
            fw={each === language ? 700 : undefined}
            onClick={() => chooseLanguage(each)}
          >
            {names[each]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

export function ThemeSwitch() {
  const t = useTexts(appTexts);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Current = schemes[colorScheme];
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('theme')}>
          <Current size={20} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {(Object.keys(schemes) as (keyof typeof schemes)[]).map((each) => {
          const Picture = schemes[each];
          return (
            <Menu.Item
              key={each}
              leftSection={<Picture size={16} />}
              aria-current={each === colorScheme}
              fw={each === colorScheme ? 700 : undefined}
              onClick={() => setColorScheme(each)}
            >
              {t(each)}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
