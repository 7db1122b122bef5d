/** Citizens of the demo's civil registry without a phone, for enrolment with `./tamga phone` or in the browser. */
export const spareCitizens = [
  {
    identifier: '110000000010',
    name: 'Уянга Жигжидсүрэн',
    cardNumber: 'E00000010',
    birthDate: '1973-05-26',
  },
  {
    identifier: '110000000011',
    name: 'Тэмүүлэн Отгонбаяр',
    cardNumber: 'E00000011',
    birthDate: '2005-08-13',
  },
  {
    identifier: '110000000012',
    name: 'Аззаяа Эрдэнэчимэг',
    cardNumber: 'E00000012',
    birthDate: '1999-04-30',
  },
] as const;
