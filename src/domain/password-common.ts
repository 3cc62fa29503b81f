/** Of the passwords that leaks show most often, those of ten characters and more; in lower case. */
const LIST = `
0123456789 01234567890 0987654321 1029384756 10203040506 11223344556 112233445566 1122334455 123123123123 1231231231
1234512345 123456123456 1234567890 12345678900 12345678901 123456789010 12345678910 1234567891 123456789123 123456789a
123456789q 123456789abc 1234567890a 1234567890q 1234567890qwertyuiop 1234567899 12345qwert 12345qwerty 123654789 1357924680
147258369 1472583690 147852369 1478523690 159357456 1q2w3e4r5t 1q2w3e4r5t6y 1q2w3e4r5t6y7u 1qaz2wsx3edc 1qaz2wsx3edc4rfv
1qazxsw23edc 22446688 3.1415926535 5201314520 741852963 7418529630 789456123 7894561230 87654321 9876543210 987654321a
a123456789 a1234567890 aa12345678 aa123456789 abc1234567 abc12345678 abc123456789 abcd123456 abcd1234567890 abcde12345
abcdef1234 abcdef123456 abcdefghij abcdefghijk administrator admin12345 admin123456 admin1234567 adminadmin administrator1
asd123456789 asdasdasdasd asdf1234567 asdfasdfasdf asdfghjkl1 asdfghjkl123 asdfghjkl; azertyuiop azerty123456
baseball123 basketball basketball1 blink182182 butterfly1 changeme123 changeme1234 charlie123 chocolate1 christopher
computer123 correcthorsebatterystaple default123 dragon123456 elizabeth1 facebook123 football12 football123 football1234
forgetmenot fuckyou123 google12345 hello12345 hello123456 helloworld hunter2222 iloveyou12 iloveyou123 iloveyou1234
iloveyouforever jennifer123 jordan2323 letmein123 letmein1234 letmeinnow liverpool1 liverpool123 linkedin123 lovelovelove
manchester manchesterunited master12345 metallica1 michael123 microsoft1 mississippi monkey12345 mynameisbob mypassword
mypassword1 newpassword nicholas123 p4ssw0rd123 p@ssw0rd12 p@ssw0rd123 p@ssw0rd1234 p@ssword123 pa55word123 passw0rd12
passw0rd123 passw0rd1234 password!1 password00 password01 password11 password12 password123 password123! password1234
password12345 password123456 password2020 password2021 password2022 password2023 password2024 password2025 password2026
password99 passwordpassword password1! pokemon123 princess12 princess123 q1w2e3r4t5 q1w2e3r4t5y6 qazwsx123456 qazwsxedc1
qazwsxedcrfv qwaszx1234 qwer123456 qwer1234567 qwert12345 qwerty1234 qwerty12345 qwerty123456 qwerty1234567
qwerty12345678 qwertyqwerty qwertyuiop qwertyuiop1 qwertyuiop10 qwertyuiop12 qwertyuiop123 qwertyuiop[] qwertyuiop[]\\
qwertz12345 qwertz123456 qwertzuiop rostrum123 rostrumrostrum sample123456 samsung123 secret12345 secret123456 skateboard
snowball12 spiderman1 spiderman123 starwars12 starwars123 summer2023 summer2024 summer2025 summer2026 sunshine12 sunshine123
superman12 superman123 test123456 test1234567 test12345678 testtest123 testtesttest thomas12345 trustno1trustno1
temppassword temp123456 unknown123 user123456 verysecret volleyball watermelon welcome123 welcome1234 welcome12345
whatever12 whatever123 william123 winter2024 winter2025 winter2026 zaq12wsxcde3 zaq1zaq1zaq1 zxcvbnm123 zxcvbnm1234
zxcvbnm12345 zxcvbnmasdfghjkl
`;

export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(LIST.trim().split(/\s+/));
