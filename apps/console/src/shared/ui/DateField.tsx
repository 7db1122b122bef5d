import '@mantine/dates/styles.layer.css';
import 'dayjs/locale/mn';
import dayjs from 'dayjs';
import { DateInput, type DateInputProps } from '@mantine/dates';
import { sharedTexts } from '../sharedTexts.ts';
import { useLanguage, useTexts } from '../texts.ts';

const FORMAT = { day: 'YYYY-MM-DD', moment: 'YYYY-MM-DD HH:mm:ss' } as const;
const SHAPE = { day: /^\d{4}-\d\d-\d\d$/, moment: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/ } as const;

/**
 * Field of a date, with a calendar in the language of the console; typed as it is shown. A browser's own field follows
 * the browser's language, not the reader's choice.
 *
 * @param value in the reader's time zone: `YYYY-MM-DD`, with `isMoment` `YYYY-MM-DD HH:mm:ss`; empty: none
 */
export function DateField({
  value = '',
  onChange,
  isMoment = false,
  ...props
}: Omit<DateInputProps, 'value' | 'onChange' | 'valueFormat' | 'withTime' | 'dateParser'> & {
  readonly value?: string;
  readonly onChange: (value: string) => void;
  readonly isMoment?: boolean;
}) {
  const t = useTexts(sharedTexts);
  const language = useLanguage();
  const kind = isMoment ? 'moment' : 'day';
  return (
    <DateInput
      clearable={props.required !== true}
      highlightToday
      hideOutsideDates
      // Their colours have too little contrast (WCAG 1.4.3).
      weekendDays={[]}
      // Inside what the field is in: a popover around it closes when something outside is pressed.
      popoverProps={{ withinPortal: false }}
      placeholder={t(kind === 'day' ? 'dayShape' : 'momentShape')}
      {...props}
      locale={language}
      firstDayOfWeek={1}
      monthLabelFormat={language === 'mn' ? 'YYYY MMMM' : 'MMMM YYYY'}
      getDayAriaLabel={(day) =>
        dayjs(day)
          .locale(language)
          .format(language === 'mn' ? 'YYYY MMMM D' : 'D MMMM YYYY')
      }
      valueFormat={FORMAT[kind]}
      withTime={isMoment}
      dateParser={(typed) =>
        // 30 February has the shape, and is read as a day of March.
        SHAPE[kind].test(typed) && dayjs(typed).format(FORMAT[kind]) === typed ? typed : null
      }
      value={value === '' ? null : value}
      // A day taken from the calendar comes without its time.
      onChange={(picked) =>
        onChange(isMoment && picked?.length === 10 ? `${picked} 00:00:00` : (picked ?? ''))
      }
      // Escape closes the calendar, not the dialog around it.
      data-mantine-stop-propagation
      clearButtonProps={{ 'aria-label': t('clearDate') }}
      ariaLabels={{
        previousMonth: t('previousMonth'),
        nextMonth: t('nextMonth'),
        previousYear: t('previousYear'),
        nextYear: t('nextYear'),
        previousDecade: t('previousYears'),
        nextDecade: t('nextYears'),
      }}
    />
  );
}
