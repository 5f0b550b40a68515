"""Words and sentences the families are built from. Plain data, written for Gavel."""

NAMES = ("Amara Bjorn Chidi Daria Elif Farid Greta Hugo Imani Jonas Keiko Luca Mina Nadia Omar Petra Quentin Rosa Samir Tessa "
         "Ulla Viktor Wanda Yara Zoe Anton Bea Carlos Dilan Emma Felix Gina Hamid Ivo Jana Kofi Lena Marco Nils Olga Pia Raj").split()
CITIES = "Lisbon Oslo Nairobi Lima Kyoto Turin Graz Tallinn Leeds Porto Cork Quito Riga Malmo Hanoi Accra Denver Perth".split()
COMPANIES = ["Norda Ltd", "Brightwell", "Kestrel Labs", "Oak & Reed", "Pinecrest", "Solvia", "Tamarind Foods", "Umbra Tech", "Velo Parts", "Westmark"]
PRODUCTS = ["headphones", "desk lamp", "blender", "backpack", "running shoes", "office chair", "phone case", "kettle", "tent", "keyboard",
            "monitor", "winter jacket", "bike helmet", "coffee maker", "camera", "toaster", "rug", "guitar", "watch", "suitcase"]
FILLER = [
    "The meeting room on the second floor will be painted next week.", "Lunch is served from noon until two.",
    "The parking garage has new opening hours.", "A new colleague starts in the warehouse on Monday.",
    "The newsletter goes out every other Thursday.", "Please remember to water the plants by the window.",
    "The printer on the third floor is working again.", "The annual picnic was moved to the city park.",
    "Last year the team grew from nine to fourteen people.", "The heating was serviced in spring.",
    "Several colleagues asked about the new chairs.", "The map of the building hangs beside the lift.",
    "The library has extended its loan period.", "There is a blue bicycle in the yard that nobody claims.",
    "The minutes of the previous meeting were accepted.", "The old website will stay online as an archive.",
    "The cleaning schedule is posted in the kitchen.", "The bus line to the station now runs every ten minutes.",
    "A photo of the harbour was chosen for the cover.", "The survey closes at the end of the month.",
    "The weather was mild for most of the season.", "Two boxes of paper were delivered to the reception.",
    "The choir rehearses in the hall on Wednesdays.", "The logo keeps its colour but loses the outline.",
    "The coffee beans come from a small farm.", "The lift is inspected once a year.",
]
# topic: (description, team word, messages)
TOPICS = {
    "billing": ("Charges, invoices and payments", [
        "I was charged twice this month.", "My invoice shows an amount I do not recognise.", "Can you resend the receipt for my last payment?",
        "Why did the price of my plan go up?", "The card on file was declined but I have money.", "I need the VAT number on the invoice.",
        "There is an extra fee of 12 euros on my bill.", "Please change the billing address on our account.", "When will I be billed next?",
        "You took the money although I cancelled in time."]),
    "refunds": ("Money back for returned or cancelled goods", [
        "I sent the item back two weeks ago and still have no money.", "I would like my money back for the broken lamp.", "How long does a refund take?",
        "The refund you promised has not arrived.", "I cancelled the order, please return what I paid.", "Only half of the amount was refunded.",
        "I want to return these shoes and get reimbursed.", "Can I get store credit instead of a refund?"]),
    "shipping": ("Delivery of orders and parcels", [
        "Where is my package?", "The tracking number does not work.", "My parcel was left in the rain.", "The courier says it was delivered but there is nothing here.",
        "Can I change the delivery address?", "Do you ship to Norway?", "The order is three days late.", "Only one of two boxes arrived.",
        "How much is express delivery?", "The box was crushed when it got here."]),
    "login": ("Signing in, passwords and accounts", [
        "I cannot sign in to my account.", "The reset link has expired.", "I never get the code on my phone.", "My account is locked after three attempts.",
        "How do I change my password?", "It says my email is not known.", "Somebody else logged into my profile.", "I forgot which address I used to register.",
        "The two-factor app was on my old phone."]),
    "bug": ("Errors and crashes of the software", [
        "The app closes when I open settings.", "I get error 500 when saving.", "The export button does nothing.", "The page stays blank after the update.",
        "Search returns the same item five times.", "The calendar shows the wrong day.", "Uploading a photo freezes the screen.", "The total is calculated wrongly in the cart.",
        "Notifications arrive hours late.", "Dark mode makes the text unreadable."]),
    "feature_request": ("Wishes for new functions", [
        "It would be great to have a dark mode.", "Please add support for calendars.", "Could you let us sort by date?", "I wish I could export to a spreadsheet.",
        "A widget for the home screen would help a lot.", "Any plans for an offline mode?", "It would be nice if several people could edit at once.",
        "Please consider adding a Dutch translation."]),
    "sales": ("Prices, offers and buying", [
        "How much is the plan for fifty people?", "Do you offer a discount for schools?", "We would like a quote for 200 licences.", "Is there a free trial?",
        "Can somebody show us a demo next week?", "What is the difference between Basic and Pro?", "We are comparing vendors and need your price list.",
        "Do you sell gift vouchers?"]),
    "cancellation": ("Ending a contract or subscription", [
        "Please cancel my subscription.", "I want to close my account for good.", "How do I stop the automatic renewal?", "We will not continue after this year.",
        "I no longer need the service, end it please.", "Terminate the contract at the next possible date.", "Unsubscribe me from the paid plan."]),
    "jobs": ("Applications and open positions", [
        "Are you hiring designers at the moment?", "I sent my CV last week and wanted to ask about it.", "Is the internship paid?", "Do you sponsor visas for engineers?",
        "I would like to apply for the position in the warehouse.", "When will you decide about the interview?"]),
    "press": ("Questions from journalists", [
        "I write for a daily paper and would like a statement.", "Who can I interview about the launch?", "May we print your logo in our magazine?",
        "Our radio programme wants to report about your company.", "Can you confirm the figures before we publish?"]),
    "security": ("Reports of weaknesses, abuse or data leaks", [
        "I found a way to read other people's orders.", "I received an email pretending to be you.", "My data appeared in a leak, was it from you?",
        "There is a cross-site scripting hole in your search field.", "A stranger ordered things with my account.", "Your server shows its private key."]),
    "legal": ("Contracts, privacy and legal notices", [
        "Please delete all personal data you hold about me.", "Our lawyer needs the data processing agreement.", "You use my photo without permission.",
        "Which law applies to this contract?", "I request a copy of my data under the GDPR.", "Your advertisement copies our trademark."]),
    "hardware": ("Broken or faulty devices", [
        "The screen has a crack since it arrived.", "The battery drains within an hour.", "The fan makes a loud noise.", "The device does not switch on.",
        "One of the legs of the table is missing.", "The charger gets very hot.", "The left earphone is silent."]),
    "appointment": ("Booking and moving appointments", [
        "I would like to book a slot on Tuesday.", "Can I move my appointment to next week?", "I have to call off the visit tomorrow.", "Is there anything free on Friday morning?",
        "Please remind me when my appointment is.", "The technician did not show up at the agreed time."]),
    "praise": ("Thanks and compliments", [
        "Just wanted to say your support is wonderful.", "Thank you, everything works perfectly.", "Best purchase I made this year.", "Please tell Anna she did a great job.",
        "I recommend you to all my friends.", "Great update, keep it up!"]),
    "opening_hours": ("When and where the shop is open", [
        "Are you open on Sundays?", "When does the shop close today?", "Where is your nearest branch?", "Is the store open on public holidays?",
        "Until what time can I collect my order?"]),
}
OFF_TOPIC = ["What is the capital of Peru?", "Tell me a joke about cats.", "My neighbour's dog barks all night.", "How do I bake sourdough bread?",
             "It rained the whole weekend here.", "Who won the match yesterday?", "I dreamt about a purple elephant.", "Translate 'good morning' into Greek.",
             "What is 17 times 23?", "The moon looks beautiful tonight.", "Can you write a poem about autumn?", "Which film should I watch?"]
HARM = {
    "scam": ("Tries to trick people out of money or data", [
        "Congratulations, you won a gift card! Send your card number to claim it.", "Your account will be closed, verify your password here now.",
        "I am a prince and need your help to move ten million dollars.", "Double your bitcoin in one hour, send first and I return twice.",
        "Hi mum, my phone broke, please send 400 to this new number.", "Free nitro for the first 50, just log in with your account.",
        "We found a problem with your parcel, pay 1.99 here to release it.", "Work from home, earn 900 a day, only a small fee to start.",
        "This is the tax office, pay in gift cards today or you will be arrested.", "Your computer has a virus, call us and give us remote access.",
        "Steam support here, tell me the code you just received so that we keep your account.", "I can get your lost crypto back, just pay the unlock fee first."]),
    "spam": ("Unwanted advertising", [
        "BUY CHEAP WATCHES NOW!!! Best price!!!", "Visit my channel and subscribe, I post daily.", "Get 10,000 followers for 5 dollars.", "Hot deals on pills, no prescription!",
        "Check out my new mixtape, link in bio, check it out, link in bio.", "Best SEO service, first page guaranteed, message me.",
        "Cheap loans for everyone, no questions asked!", "Join my server, giveaway every day, join join join."]),
    "insult": ("Attacks or mocks a person", [
        "You are a complete idiot.", "Nobody likes you, just leave.", "What a pathetic loser you are.", "Only a moron would write this.", "You are too stupid to understand this.",
        "Shut up, you clown.", "Your face makes me sick.", "Go back to school, you dimwit."]),
    "threat": ("Announces violence", [
        "I will find you and break your legs.", "You will regret this, I know where you live.", "I am going to burn your house down.", "Watch your back, I am coming for you.",
        "One more word and I will hurt you.", "I will kill you if you come here again."]),
    "doxxing": ("Publishes somebody's private data", [
        "Her address is 14 Mill Lane, go and visit her.", "His private number is 555 0143, call him at night.", "Here is the licence plate and workplace of that guy: KX 221, harbour office.",
        "This is where the streamer lives: Elm Street 9, second floor.", "I posted her passport photo and bank account here."]),
    "self_harm": ("Talks of hurting oneself", [
        "I do not want to live any more.", "I keep thinking about ending it all.", "I cut myself again last night.", "Everyone would be better off without me, I have the pills here.",
        "There is no way out for me, tonight I will do it."]),
    "spoiler": ("Gives away the ending of a story", [
        "The butler did it, and the detective dies in the last scene.", "In the final episode she turns out to be his sister.", "The ship sinks at the end and only the cat survives.",
        "Do not bother reading on, the narrator was dead all along."]),
    "politics": ("Argues about parties or elections", [
        "Everyone must vote for the green party or we are lost.", "The president is the worst we ever had.", "That new tax law is a crime by the ruling party.",
        "The election was decided by lazy voters, change my mind."]),
}
BENIGN = ["Are we still on for lunch tomorrow?", "Has anyone tried the new update yet?", "I think the second level is harder than the third.", "Thanks for the help yesterday!",
          "Can somebody review my pull request?", "What keyboard do you all use?", "The build is green again.", "Good morning everyone.", "I will be ten minutes late.",
          "Does anyone have notes from the lecture?", "That was a great game, well played.", "My cat just sat on the keyboard.", "How do I set up the tests?",
          "The train was late again today.", "I finally finished the book.", "Happy birthday, Lena!", "I disagree, but I see your point.", "Could you send me the slides?",
          "The bank called me about my new card, all sorted now.", "I won the quiz last night, we got a cake.", "My phone broke, so I am writing from the laptop.",
          "This recipe is killing me, it takes hours.", "I was dead tired after the run.", "Careful, there are fake giveaways going round, do not click."]
ASPECTS = {
    "delivery": (["It arrived a day early.", "Delivery was fast.", "The courier was friendly and on time."], ["It came a week late.", "Delivery took forever.", "The parcel was lost for days."]),
    "price": (["Great value for the money.", "It was surprisingly cheap.", "Worth every cent."], ["Far too expensive.", "You pay a lot for very little.", "The price is a joke."]),
    "quality": (["It feels solid and well made.", "The material is excellent.", "Beautifully built."], ["It broke after two days.", "Cheap plastic that falls apart.", "The seams came loose at once."]),
    "support": (["Support answered within minutes.", "The staff were kind and helpful.", "They solved my problem at once."], ["Support never answered.", "The staff were rude.", "They kept me waiting for an hour and hung up."]),
    "sound": (["The sound is rich and clear.", "It is wonderfully quiet.", "Music sounds superb on it."], ["The sound is tinny.", "It rattles loudly.", "There is a constant hiss."]),
    "size": (["It fits perfectly.", "Just the right size.", "Compact and light."], ["It is much too big.", "It does not fit at all.", "Heavier and bulkier than promised."]),
    "battery": (["The battery lasts for days.", "It charges in no time."], ["The battery is empty by noon.", "It needs charging twice a day."]),
    "food": (["The food was delicious.", "Every dish was fresh and tasty."], ["The food was cold and bland.", "My meal was inedible."]),
    "room": (["The room was spotless and quiet.", "We loved the view from our room."], ["The room smelled of smoke.", "The room was dirty and loud."]),
}
TONES = {
    "angry": ("Shows anger", ["This is outrageous, fix it now!", "I am furious about how I was treated.", "How dare you ignore me for a month!", "Enough is enough, I have had it with you.", "Absolutely unacceptable!!!"]),
    "grateful": ("Expresses thanks", ["Thank you so much for your patience.", "I really appreciate what you did.", "You saved my day, many thanks.", "I am very grateful for the quick help."]),
    "worried": ("Shows fear or concern", ["I am afraid that my data is lost.", "I am really worried about the deadline.", "What if it fails during the exam?", "I am nervous because nobody has called."]),
    "sad": ("Shows sadness or disappointment", ["I am so sad that it ended this way.", "It broke my heart to see it go.", "We had hoped for much more, what a pity.", "I feel let down and alone."]),
    "excited": ("Shows joy or enthusiasm", ["I cannot wait for the launch!", "This is the best news ever!", "Wow, it works, I am thrilled!", "So happy that we made it!"]),
    "neutral": ("Plain and factual", ["The order number is 4471.", "The meeting is at ten.", "Attached is the file for March.", "The shop is on the corner.", "My account uses this address."]),
    "confused": ("Does not understand", ["I do not get what this button does.", "Which of the two forms do I need? I am lost.", "Your mail says one thing and the site another.", "Can someone explain what this means?"]),
    "sarcastic": ("Mocks by saying the opposite", ["Great, another update that breaks everything. Just what I needed.", "Oh wonderful, only four hours on hold this time.", "Nice job losing my parcel, really impressive.", "Sure, because waiting a month is totally normal."]),
}
URGENCY = [
    ("no urgency", "whenever there is time", ["No rush at all.", "Whenever you have time.", "Just an idea for later, nothing to do now.", "This can wait until next quarter.", "For your information only."]),
    ("this week", "within a few days", ["It would be good to have it by Friday.", "Please look at it in the next few days.", "Some time this week is fine.", "We need it before the weekend."]),
    ("today", "before the day ends", ["Please get this done today.", "I need an answer before the end of the day.", "It has to be out by five this afternoon.", "The customer visits tonight, so we need it today."]),
    ("right now", "immediately, everything stops", ["Everything is down, drop what you are doing!", "Help, we are losing data this very minute.", "This must be fixed immediately, no customer can pay.", "Emergency: water is pouring into the server room."]),
]
INCIDENTS = [
    ("A typo on the help page.", 0), ("The logo is slightly blurred on one page.", 0), ("A tooltip shows the wrong colour.", 0), ("An old blog post has a dead link.", 0),
    ("One customer cannot print a label, another printer works.", 1), ("Search is slow for some users, but works.", 1), ("The weekly report came an hour late.", 1), ("A filter has to be set twice before it holds.", 1),
    ("Exports fail for all customers in one region.", 2), ("Nobody can upload files since this morning.", 2), ("A third of all logins fail.", 2), ("Mails to customers have not gone out since noon.", 2),
    ("The whole site is down for everyone.", 3), ("Customer data is visible to strangers.", 3), ("All payments fail worldwide.", 3), ("The database was deleted and backups are missing.", 3),
]
INCIDENT_LEVELS = [
    ["Cosmetic, nobody is hindered", "Minor, there is a way around it", "Major, many users cannot work", "Critical, everything is down or data is exposed"],
    ["trivial", "low", "high", "critical"],
    ["SEV4: looks wrong, works right", "SEV3: some trouble, work goes on", "SEV2: an important function is broken for many", "SEV1: total outage or loss of data"],
]
# question: (topic words, right answer, partial answer, wrong or evasive answer)
QA = [
    ("What time does the museum open on Saturday, and is there a discount for students?", "It opens at ten on Saturdays, and students pay half.", "It opens at ten on Saturdays.", "The museum was founded in 1902."),
    ("How do I reset my password, and how long is the link valid?", "Click 'Forgot password' on the login page; the link is valid for one hour.", "Click 'Forgot password' on the login page.", "We take security very seriously."),
    ("Which sizes do you have, and can I return it?", "We have S to XL, and you can return it within 30 days.", "We have S to XL.", "Our brand is known for its colours."),
    ("When does the train leave and from which platform?", "It leaves at 9:14 from platform 3.", "It leaves at 9:14.", "Trains are a green way to travel."),
    ("How much is the ticket and where can I buy it?", "It costs 12 euros, at the counter or online.", "It costs 12 euros.", "We hope you enjoy the show."),
    ("Is the soup vegan and does it contain nuts?", "Yes, it is vegan, and there are no nuts in it.", "Yes, it is vegan.", "Our chef trained in Lyon."),
    ("Who wrote the report and when is it due?", "Petra wrote it, and it is due on Monday.", "Petra wrote it.", "Reports are kept in the archive."),
    ("What is the warranty period and what does it cover?", "Two years, covering material and manufacturing faults.", "The warranty runs for two years.", "Thank you for choosing us."),
    ("How long is the flight and is there a meal?", "The flight takes four hours, with a warm meal.", "The flight takes four hours.", "Please fasten your seat belts."),
    ("Can I bring my dog, and what does it cost?", "Dogs are welcome for 8 euros a night.", "Dogs are welcome.", "The hotel lies near the beach."),
    ("Which database do you use and how often is it backed up?", "We use Postgres, backed up every night.", "We use Postgres.", "Our engineers are very experienced."),
    ("Where do I park and is it free?", "Park behind the hall, it is free.", "Park behind the hall.", "The event was a great success last year."),
]
HEADLINES = {
    "sports": ["Late goal sends the home side to the final", "Champion withdraws from the open with a knee injury", "Coach resigns after fifth defeat in a row", "Sprinter breaks the national record"],
    "business": ["Chip maker raises its profit forecast", "Two banks agree to merge", "Retailer closes forty shops", "Shares fall as exports slow"],
    "science": ["Telescope finds water vapour on a distant planet", "New vaccine shows promise in early trial", "Fossil rewrites the history of birds", "Researchers store data in glass"],
    "politics": ["Parliament votes on the new budget", "Minister steps down after inquiry", "Coalition talks enter a second week", "Voters reject the reform"],
    "weather": ["Heavy snow expected in the north", "Storm warning for the coast", "Heat wave to last until Friday", "Floods close the valley road"],
    "culture": ["Festival opens with a silent film", "Novel about lighthouse keepers wins the prize", "Museum returns ancient mask", "Orchestra tours with a young conductor"],
    "technology": ["Phone maker unveils foldable tablet", "Browser update blocks trackers", "Start-up builds robots for orchards", "Data centre to heat a whole district"],
    "health": ["Doctors urge people to walk more", "Hospital opens a sleep clinic", "Flu season starts early", "Study links noise to poor sleep"],
}
LANGUAGES = {
    "English": ["Where is the nearest station?", "I would like a cup of tea.", "The book is on the table.", "We will meet again tomorrow."],
    "German": ["Wo ist der nächste Bahnhof?", "Ich hätte gern eine Tasse Tee.", "Das Buch liegt auf dem Tisch.", "Wir sehen uns morgen wieder."],
    "French": ["Où est la gare la plus proche ?", "Je voudrais une tasse de thé.", "Le livre est sur la table.", "On se revoit demain."],
    "Spanish": ["¿Dónde está la estación más cercana?", "Quisiera una taza de té.", "El libro está en la mesa.", "Nos vemos mañana."],
    "Italian": ["Dov'è la stazione più vicina?", "Vorrei una tazza di tè.", "Il libro è sul tavolo.", "Ci vediamo domani."],
    "Portuguese": ["Onde fica a estação mais próxima?", "Eu gostaria de uma xícara de chá.", "O livro está na mesa.", "Até amanhã, então."],
    "Dutch": ["Waar is het dichtstbijzijnde station?", "Ik wil graag een kopje thee.", "Het boek ligt op de tafel.", "We zien elkaar morgen weer."],
    "Swedish": ["Var ligger närmaste station?", "Jag skulle vilja ha en kopp te.", "Boken ligger på bordet.", "Vi ses igen i morgon."],
    "Polish": ["Gdzie jest najbliższy dworzec?", "Poproszę filiżankę herbaty.", "Książka leży na stole.", "Do zobaczenia jutro."],
}
NONE_KEYS = [("none_of_these", "No listed option applies"), ("none_of_these", None), ("other", "Something else"), ("none_of_these", "None of these fits"),
             ("out_of_scope", "The request is about something else"), ("other", None), ("unclear", "No listed option applies")]
