"""InfoSpiders (Pant & Menczer 2002): agents with a keyword network each."""
